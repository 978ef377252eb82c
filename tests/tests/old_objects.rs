//! Objects as compilers and drivers of 2013 to 2017 wrote them: file-scope variables, bits above types, code
//! taken out, machine code for more platforms than the specification allows.

use finalizer::{Finalizer, Options};
use platforms::Platform;
use visa::{Alias, FileVar, GenBinary, Linkage, Module, text::TextOptions};

const TEXT: &str = r#".version 3.2
.kernel "old"
.decl V32 v_type=G type=ud num_elts=8 align=GRF
.decl V33 v_type=G type=ud num_elts=8 align=GRF
.decl V34 v_type=G type=ud num_elts=8 align=GRF alias=<V33, 0>
.decl T6 v_type=T num_elts=1
.input T6 offset=32 size=4
.kernel_attr Target="cm"
.function "main"
main:
    mov (M1_NM, 8) V34(0,0)<1> 0x2a:ud
    mov (M1_NM, 8) V32(0,0)<1> V34(0,0)<1;1,0>
    oword_st (2) T6 0x0:ud V32.0
    ret (M1, 1)
"#;

fn module() -> Module {
    visa::text::parse(TEXT, TextOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// Written, read and written again, the bytes are the same.
fn round_trip(module: &Module) -> (Vec<u8>, Module) {
    let bytes = visa::write(module).unwrap();
    let read = visa::read(&bytes).unwrap_or_else(|e| panic!("{e}"));
    assert!(visa::write(&read).unwrap() == bytes);
    (bytes, read)
}

fn code(module: &Module) -> Vec<u8> {
    Finalizer::new(Options::new(Platform::Skl))
        .finalize_kernel(module, 0)
        .unwrap_or_else(|e| panic!("{e}"))
        .code
}

/// Names of file-scope variables have two bytes of length in all versions, and kernels have views of them by
/// the number of a relocation.
#[test]
fn file_scope_variables_are_variables_of_the_kernel() {
    let mut old = module();
    let plain = code(&old);
    for name in ["first", &"x".repeat(300)] {
        let like = &old.kernels[0].vars[1];
        let (ty, align, num_elements) = (like.ty, like.align, like.num_elements);
        let var = FileVar {
            linkage: Linkage::GLOBAL,
            name: name.as_bytes().to_vec(),
            ty,
            align,
            num_elements,
            attrs: Vec::new(),
        };
        old.file_vars.push(var);
    }
    let kernel = &mut old.kernels[0];
    kernel.variable_relocs = vec![visa::RelocSym { symbolic: 7, resolved: 1 }];
    kernel.vars[2].alias = Some(Alias { base: visa::VarId(7), offset: 0, file_scope: true });
    let (_, read) = round_trip(&old);
    assert_eq!(read.file_vars, old.file_vars);
    assert_eq!(visa::verify(&read, visa::VerifyOptions::for_platform(Platform::Skl)), []);
    assert!(code(&read) == plain);

    read.kernels[0].clone_into(&mut old.kernels[0]);
    old.file_vars.clear();
    let refusal = Finalizer::new(Options::new(Platform::Skl)).finalize_kernel(&old, 0).unwrap_err();
    assert_eq!(refusal.0[0].code, "alias-base");
}

/// Early compilers left bits above the type of an immediate; Intel's reader masks them out.
#[test]
fn bits_above_a_type_are_kept_and_mean_nothing() {
    let plain = module();
    let mut bytes = visa::write(&plain).unwrap();
    // The constant of the first instruction: class, type, value.
    let constant = [5u8, 0, 0x2a, 0, 0, 0];
    let at = bytes.windows(6).position(|w| w == constant).unwrap() + 1;
    bytes[at] |= 0x10;
    let read = visa::read(&bytes).unwrap();
    assert!(visa::write(&read).unwrap() == bytes);
    assert!(code(&read) == code(&plain));
}

/// Shipped objects keep a kernel's declarations, but not its code.
#[test]
fn kernels_whose_code_was_taken_out_are_kept_and_refused_in_one_sentence() {
    let mut module = module();
    module.set_gen_binary(0, 3, vec![0; 16]).unwrap();
    module.set_gen_binary(0, 99, vec![1; 16]).unwrap();
    let kernel = &mut module.kernels[0];
    kernel.code.clear();
    kernel.operands.clear();
    kernel.quirks.stripped_code = Some((367, 4680));
    let (_, read) = round_trip(&module);
    assert_eq!(read.kernels[0].quirks.stripped_code, Some((367, 4680)));
    assert_eq!(read.kernels[0].gen_binaries.len(), 2);
    let refusal = Finalizer::new(Options::new(Platform::Skl)).finalize_kernel(&read, 0).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "kernel `old`: its vISA code was taken out of the object; it has machine code for bdw, platform number 99, \
         which is not known here [NoVisaCode]"
    );
}

#[test]
fn objects_hold_code_for_more_than_four_platforms() {
    let mut module = module();
    // Numbers that are not known here among them.
    for number in [2, 3, 5, 7, 10, 12] {
        module.kernels[0].gen_binaries.push(GenBinary { platform: number, code: vec![number; 16] });
    }
    let (_, read) = round_trip(&module);
    let numbers: Vec<u8> = read.kernels[0].gen_binaries.iter().map(|b| b.platform).collect();
    assert_eq!(numbers, [2, 3, 5, 7, 10, 12]);
}

/// Labels before the first subroutine label, and one behind the last return.
#[test]
fn kernels_may_begin_and_end_with_labels() {
    let text = TEXT
        .replace(".function \"main\"\nmain:\n", "first:\nsecond:\n.function \"main\"\nmain:\n")
        .replace("    ret (M1, 1)\n", "    ret (M1, 1)\nlast:\n");
    let odd = visa::text::parse(&text, TextOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    assert!(code(&odd) == code(&module()));
}

/// A body that runs into its end ends the thread there.
#[test]
fn a_body_without_a_return_ends_the_thread() {
    let odd = visa::text::parse(&TEXT.replace("    ret (M1, 1)\n", ""), TextOptions::default()).unwrap();
    assert!(code(&odd) == code(&module()));
}

/// Compiled for registers of 32 bytes: one fault on a platform whose registers have 64, and the other way.
#[test]
fn objects_for_other_registers_are_refused_with_one_fault() {
    let (_, object) = round_trip(&module());
    let mut finalizer = Finalizer::new(Options::new(Platform::Pvc));
    let refusal = finalizer.finalize_kernel(&object, 0).unwrap_err();
    assert_eq!(refusal.0.len(), 1);
    assert_eq!(refusal.0[0].code, "RegisterSize");
    assert!(finalizer::compiled_for_other_registers(&object, Platform::Pvc).is_some());
    assert_eq!(finalizer::compiled_for_other_registers(&object, Platform::Skl), None);
}
