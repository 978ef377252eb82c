# What get-oracles, get-neo and get-others share: packages of any Debian release, unpacked without touching the installed system.
# To be sourced; needs `scratch`, a directory that the caller removes, and `suite`, the release.
# shellcheck shell=bash disable=SC2154

# apt with its own lists and one source, of the release in $suite; it takes nothing for installed
apt_of_suite() { # TOOL ARGUMENT...
    local tool=$1 state=$scratch/$suite
    shift
    if [ ! -d "$state" ]; then
        local keyring
        keyring=$(find /usr/share/keyrings -name 'debian-archive-keyring.*' 2>/dev/null | sort | head -n 1)
        mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
        : > "$state/status"
        echo "deb ${keyring:+[signed-by=$keyring]} $(debian_mirror) $suite main" > "$state/source.list"
        apt_of_suite apt-get update
    fi
    "$tool" -qq -o Dir::Etc::sourcelist="$state/source.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::Lists="$state/lists" -o Dir::State::status="$state/status" -o Dir::Cache="$state/cache" \
        -o APT::Sandbox::User="$(id -un)" -o APT::Install-Recommends=false -o Debug::NoLocking=true "$@"
}

# what a package needs, itself included, less what no program is loaded from
with_dependencies() { # PACKAGE...
    apt_of_suite apt-get --simulate install "$@" | awk '
        $1 == "Inst" && $2 !~ /^(gcc-[0-9]+-base|libc-gconv.*|debconf|dpkg|tar|perl-base|tzdata)$/ { print $2 }'
}

# unpacks packages of the release in $suite
unpack() { # DIRECTORY PACKAGE...
    local directory=$1 packages=$scratch/$suite-packages package
    shift
    mkdir -p "$packages" "$directory"
    [ -d "$scratch/$suite" ] || apt_of_suite apt-get update
    (cd "$packages" && apt_of_suite apt-get download "$@")
    for package in "$@"; do
        dpkg -x "$packages/${package}"_*.deb "$directory"
    done
}

# the address of the Debian mirror that this system uses, from either syntax of apt's source files
debian_mirror() {
    apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null |
        awk '!/security/ && /debian/ && !found++'
}
