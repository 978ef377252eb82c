//! Inputs that once crashed, hung or lied. Each came from a fuzz target or a mutant and is told here in its
//! smallest form.

use finalizer::{Finalizer, Options};
use platforms::Platform;
use visa::{
    Alias, StrId, VarId, VerifyOptions,
    text::{self, TextOptions},
};

/// A kernel with these lines between its declarations and its code.
fn kernel(declarations: &str, code: &str) -> String {
    format!(
        ".version 4.1\n.kernel \"k\"\n.decl V32 v_type=G type=d num_elts=16 align=GRF\n{declarations}\n\
         .kernel_attr SimdSize=8\n{code}\n.function \"main\"\nmain:\n    ret (M1, 1)\n"
    )
}

fn parse(source: &str) -> Result<visa::Module, text::Faults> {
    text::parse(source, TextOptions::default())
}

/// Names end at a zero byte in an object.
#[test]
fn zero_bytes_in_text_are_refused() {
    for source in
        [kernel(".decl T\0 v_type=T num_elts=1", ""), kernel(".decl T6 v_type=T num_elts=1 v_name=a\0b", "")]
    {
        let faults = parse(&source).unwrap_err();
        let at = source.find('\0').unwrap();
        assert_eq!(faults.0[0].span, at..at + 1);
        assert_eq!(faults.0[0].line, 4);
    }
}

/// The first instruction has to be on a line of its own even where no subroutine comes first.
#[test]
fn instructions_before_the_first_subroutine_print_as_text() {
    let module = parse(&kernel("", "    mov (M1, 8) V32(0,0)<1> 0x0:d")).unwrap();
    let printed = text::print(&module, TextOptions::default());
    let again = parse(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
    assert_eq!(again.kernels[0].code.len(), module.kernels[0].code.len());
}

/// A fault in a variable whose name is broken, too, still says which variable.
#[test]
fn nameless_variables_are_called_by_their_number() {
    let mut module = parse(&kernel("", "")).unwrap();
    let var = &mut module.kernels[0].vars[0];
    var.name = StrId(999);
    var.alias = Some(Alias { base: VarId(1792), offset: 0, file_scope: false });
    let findings = visa::verify(&module, VerifyOptions::for_platform(Platform::Skl));
    assert!(findings.len() >= 2 && findings.iter().all(|f| f.field == "V32"), "{findings:?}");
}

/// The prologue on Ponte Vecchio loads as many bytes as the attribute says: gigabytes.
#[test]
fn impossible_input_sizes_are_refused() {
    for attr in ["PerThreadInputSize=0x7fffffff", "SLMSize=0x7fffffff", "SpillMemOffset=0x7fffffff"] {
        let source = kernel(&format!(".kernel_attr {attr}"), "");
        for platform in Platform::ALL {
            let module = finalizer::read_text(source.as_bytes(), platform).unwrap();
            let refusal = Finalizer::new(Options::new(platform)).finalize_kernel(&module, 0).unwrap_err();
            assert_eq!(refusal.0[0].code, "attribute-range", "{platform}: {refusal}");
        }
    }
}

/// Inputs are copied where a call destroys their registers: not those that no register file holds.
#[test]
fn inputs_larger_than_the_register_file_are_refused_before_they_are_copied() {
    let source = kernel(
        ".decl X v_type=G type=q num_elts=4095 align=GRF\n.input X offset=64 size=8\n.funcdecl \"f\"",
        "",
    )
    .replace("    ret (M1, 1)", "    fcall (M1, 8) \"f\" 0 0\n    ret (M1, 1)");
    let module = finalizer::read_text(source.as_bytes(), Platform::Skl).unwrap();
    let refusal = Finalizer::new(Options::new(Platform::Skl)).finalize_kernel(&module, 0).unwrap_err();
    assert!(refusal.to_string().contains("inputs larger than the register file"), "{refusal}");
}

/// A subroutine's name, once characters that assembly does not have are replaced, may be that of a block: the text was
/// read as another kernel.
#[test]
fn a_block_in_text_has_no_subroutines_name() {
    let code = ".function \"main\u{7f}0\"\nmain_0:\n    jmp (M1, 1) main_0\n";
    let source = kernel("", "").replace(".function \"main\"\nmain:\n", code);
    let module = parse(&source).unwrap();
    let printed = text::print(&module, TextOptions::default());
    let again = parse(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
    assert_eq!(again.kernels[0].code.len(), module.kernels[0].code.len(), "{printed}");
    assert!(printed.contains("jmp (M1, 1) main_0_L1 "), "{printed}");
}
