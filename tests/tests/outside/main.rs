//! Every check of these crates that needs what is not in the repository: Intel's tools (`tests/tools/get-oracles`
//! installs them), vISA objects by others. Where something is missing, its checks count as ignored and say what for.

mod arithmetic;
mod foreign;
mod gen8_near_words;
mod genx_ir;
mod iga;
mod ours_in_iga;
mod unread;
mod xe_random;

use libtest_mimic::Trial;
use tests::needs::{self, Need, check};

/// The names of the checks are those of their functions.
macro_rules! checks {
    ($($way:ident: $($module:ident::$name:ident)+;)+) => {
        vec![$($($way(concat!(stringify!($module), "::", stringify!($name)), $module::$name),)+)+]
    };
}

fn foreign(name: &'static str, run: fn()) -> Trial {
    check(name, &[Need::Corpus], run)
}

fn iga64(name: &'static str, run: fn(tests::oracle::Iga)) -> Trial {
    needs::iga64(name, &[], run)
}

fn iga64_foreign(name: &'static str, run: fn(tests::oracle::Iga)) -> Trial {
    needs::iga64(name, &[Need::Corpus], run)
}

fn genx_ir(name: &'static str, run: fn(tests::oracle::GenxIr)) -> Trial {
    needs::genx_ir(name, &[], run)
}

fn genx_ir_foreign(name: &'static str, run: fn(tests::oracle::GenxIr)) -> Trial {
    needs::genx_ir(name, &[Need::Corpus], run)
}

fn recorded(name: &'static str, run: fn()) -> Trial {
    check(name, &[], run)
}

fn main() {
    use tests::needs::iga64_json2;
    let mut checks = checks! {
        recorded: xe_random::recorded_answers_of_the_reference_tool;
        iga64:
            iga::iga_reads_intel_code_and_refuses_garbage
            iga::iga_assembles_its_own_listing
            iga::new_random_instructions_agree_with_the_reference_tool
            xe_random::the_reference_assembler_gives_the_same_words
            xe_random::listings_are_those_of_the_reference_tool_and_assemble_again
            xe_random::the_reference_assembler_compacts_the_same_words
            gen8_near_words::the_reference_assembler_reads_writes_and_compacts_the_same_words
            unread::what_the_reference_tool_does_not_read_is_not_refused;
        iga64_json2: iga::json_is_of_version_2;
        iga64_foreign: iga::foreign_binaries_are_listed_like_the_reference_tool_does;
        genx_ir:
            arithmetic::what_intel_computes_otherwise_is_known
            genx_ir::debug_information_reads_as_intels genx_ir::intel_finalizes_the_assembly_of_a_kernel;
        genx_ir_foreign: genx_ir::foreign_objects_print_as_intel_prints_them;
        foreign:
            foreign::foreign_objects_are_written_back_byte_for_byte
            foreign::objects_go_through_text
            foreign::every_instruction_of_foreign_binaries_comes_back
            foreign::foreign_objects_keep_every_rule
            foreign::foreign_objects_finalize_and_run_as_the_interpreter;
    };
    checks.extend(tests::data::devices().into_iter().map(|platform| {
        needs::iga64(&format!("ours_in_iga::{platform}"), &[], move |iga| ours_in_iga::check(iga, platform))
    }));
    needs::run(checks);
}
