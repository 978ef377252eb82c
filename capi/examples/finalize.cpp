// The same from C++: handles that end by themselves, and an exception with every fault.
//
//     finalize OBJECT PLATFORM
//
// c++ -std=c++17 finalize.cpp -Iinclude -lvisafinalize

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "visa_finalize.h"

template <auto end>
struct Ends {
    template <typename T>
    void operator()(T *handle) const { end(handle); }
};

using Finalizer = std::unique_ptr<vf_finalizer, Ends<vf_finalizer_free>>;
using Binaries = std::unique_ptr<vf_binaries, Ends<vf_binaries_free>>;
using Error = std::unique_ptr<vf_error, Ends<vf_error_free>>;

// By reference: the call that makes `status` sets `raw` too.
static void check(vf_status status, vf_error *&raw) {
    Error error(raw);
    if (status == VF_OK) return;
    std::string text;
    for (size_t i = 0; i < vf_error_count(error.get()); i++) {
        vf_fault fault;
        if (vf_error_get(error.get(), i, &fault) == VF_OK)
            text += std::string(fault.code) + ": " + fault.message + "\n";
    }
    throw std::runtime_error(text);
}

static Finalizer make(const char *platform) {
    vf_finalizer *finalizer = nullptr;
    vf_error *error = nullptr;
    check(vf_finalizer_new(platform, nullptr, &finalizer, &error), error);
    return Finalizer(finalizer);
}

static Binaries finalize(vf_finalizer *finalizer, const std::vector<char> &object, unsigned threads) {
    vf_binaries *binaries = nullptr;
    vf_error *error = nullptr;
    auto bytes = reinterpret_cast<const uint8_t *>(object.data());
    check(vf_finalize(finalizer, bytes, object.size(), nullptr, threads, &binaries, &error), error);
    return Binaries(binaries);
}

int main(int argc, char **argv) try {
    if (argc < 3) return 2;
    std::ifstream file(argv[1], std::ios::binary);
    std::vector<char> object{std::istreambuf_iterator<char>(file), {}};
    Finalizer finalizer = make(argv[2]);
    Binaries binaries = finalize(finalizer.get(), object, 2);
    for (size_t i = 0; i < vf_binaries_count(binaries.get()); i++) {
        const vf_binary *binary = vf_binaries_get(binaries.get(), i);
        vf_kernel_info info{};
        info.struct_size = sizeof info;
        size_t size = 0;
        if (vf_binary_code(binary, &size) && vf_binary_info(binary, &info) == VF_OK)
            std::printf("%s: %zu bytes of code\n", info.name, size);
    }
} catch (const std::exception &e) {
    std::fputs(e.what(), stderr);
    return 1;
}
