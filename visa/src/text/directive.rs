//! Directives and labels.

use narrow::{low_u8, low_u32, to_index, to_u16};

use super::{
    lexer::Tok,
    parser::{DIRECTIVES, Parsed, Parser},
    symbols::Symbol,
};
use crate::{
    ids::*,
    model::*,
    near::suggestion,
    opcode::Opcode,
    operand::Operand,
    types::{Align, Exec, LabelKind, Type},
};

/// What a known attribute's value is. Unknown attributes take the form of their value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AttrKind {
    Bool,
    Int,
    Str,
}

/// Attributes that Intel's finalizer knows.
#[rustfmt::skip]
const ATTRIBUTES: &[(&str, AttrKind)] = &[
    ("Extern", AttrKind::Bool), ("NoBarrier", AttrKind::Bool), ("Callable", AttrKind::Bool),
    ("Caller", AttrKind::Bool), ("Composable", AttrKind::Bool), ("Entry", AttrKind::Bool),
    ("Input", AttrKind::Bool), ("Output", AttrKind::Bool), ("PayloadLiveOut", AttrKind::Bool),
    ("Input_Output", AttrKind::Bool), ("NoWidening", AttrKind::Bool), ("DoNotSpill", AttrKind::Bool),
    ("ForceSpill", AttrKind::Bool), ("SepSpillPvtSS", AttrKind::Bool), ("LTO_InvokeOptTarget", AttrKind::Bool),
    ("AllLaneActive", AttrKind::Bool), ("ExclusiveLoad", AttrKind::Bool), ("DisableLoadThreadPayloadWA", AttrKind::Bool),
    ("Target", AttrKind::Int), ("SLMSize", AttrKind::Int), ("SpillMemOffset", AttrKind::Int),
    ("ArgSize", AttrKind::Int), ("RetValSize", AttrKind::Int), ("PerThreadInputSize", AttrKind::Int),
    ("SimdSize", AttrKind::Int), ("NumGRF", AttrKind::Int), ("Scope", AttrKind::Int),
    ("SurfaceUsage", AttrKind::Int), ("CrossThreadInputSize", AttrKind::Int), ("NBarrierCnt", AttrKind::Int),
    ("MaxRegThreadDispatch", AttrKind::Int), ("ScratchInlineOffset", AttrKind::Int),
    ("ScratchIndirectRegOffset", AttrKind::Int), ("ScratchIndirectMemOffset", AttrKind::Int),
    ("OutputAsmPath", AttrKind::Str), ("AsmName", AttrKind::Str),
];

/// The kind of an attribute by name; integer if it is not known and has a short value.
pub(super) fn attr_kind(name: &str) -> Option<AttrKind> {
    ATTRIBUTES.iter().find(|a| a.0 == name).map(|a| a.1)
}

/// Names of input provenances, `.implicit_<name>`.
pub(super) const PROVENANCES: [(&str, Provenance); 5] = [
    ("EXPLICIT", Provenance::EXPLICIT),
    ("LOCAL_SIZE", Provenance::LOCAL_SIZE),
    ("GROUP_COUNT", Provenance::GROUP_COUNT),
    ("LOCAL_ID", Provenance::LOCAL_ID),
    ("PSEUDO_INPUT", Provenance::PSEUDO_INPUT),
];

/// Where attributes stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AttrList {
    /// Several in braces, behind a declaration.
    Braces,
    /// One on a line of its own.
    Line,
}

impl<'s> Parser<'s> {
    pub(super) fn directive(&mut self) -> Parsed<()> {
        let start = self.at;
        self.at += 1;
        if self.peek() != Tok::Ident || !self.glued(0) {
            return self.expected("the name of a directive right after `.`");
        }
        let name = self.slice();
        self.at += 1;
        match name {
            "version" => self.version_directive(),
            "kernel" | "global_function" => {
                let kernel_name = self.string_or_ident()?;
                self.begin_kernel(&kernel_name, name == "global_function");
                Ok(())
            }
            "funcdecl" => {
                let name = self.string()?;
                self.declared.push(name);
                Ok(())
            }
            "function" => self.function(),
            "decl" => self.decl(),
            "input" => self.input(Provenance::EXPLICIT),
            "kernel_attr" => self.kernel_attr(),
            "file" | "loc" => {
                self.at = start + 1;
                self.instruction()
            }
            _ => match name.strip_prefix("implicit_") {
                Some(provenance) => self.implicit(provenance),
                None => {
                    self.at = start + 1;
                    let hint = suggestion(name, DIRECTIVES)
                        .map_or(String::new(), |k| format!("; did you mean `.{k}`?"));
                    self.fail(format!("`.{name}` is no directive{hint}"))
                }
            },
        }
    }

    fn version_directive(&mut self) -> Parsed<()> {
        let major = self.int_in(3..=4, "the major version")?;
        self.expect(Tok::Dot, "`.`")?;
        let minor = self.int_in(0..=99, "the minor version")?;
        if major == 3 && minor > 8 || major == 4 && minor > 2 {
            self.at -= 1;
            return self
                .fail(format!("version {major}.{minor} is not known; allowed: 3.0 to 3.8, 4.0 to 4.2"));
        }
        self.version = Version::new(major, minor);
        Ok(())
    }

    /// `.function name`: a subroutine begins here. Its label follows on a line of its own.
    fn function(&mut self) -> Parsed<()> {
        let place = self.line();
        let name = self.string_or_ident()?;
        let name = String::from_utf8_lossy(&name).into_owned();
        let label = self.subroutine(&name, LabelKind::Subroutine)?;
        self.push_inst(Opcode::Subroutine, 0, Exec::SCALAR, None, &[Operand::Label(label)], place)
    }

    /// The label of a subroutine, made when first named.
    pub(super) fn subroutine(&mut self, name: &str, kind: LabelKind) -> Parsed<LabelId> {
        if let Some(id) = self.subroutines.get(name) {
            return Ok(*id);
        }
        let id = self.new_label(name, kind)?;
        self.subroutines.insert(name.to_owned(), id);
        Ok(id)
    }

    /// A block's label, made when first named.
    pub(super) fn block(&mut self, name: &'s str) -> Parsed<LabelId> {
        if let Some(id) = self.blocks.get(name) {
            return Ok(*id);
        }
        let divergent = name.contains("__opt_resource_loo");
        let kind = if divergent { LabelKind::DivergentResourceLoop } else { LabelKind::Block };
        let id = self.new_label(name, kind)?;
        self.blocks.insert(name, id);
        Ok(id)
    }

    /// `name:`; the label that repeats a subroutine's name says nothing new.
    pub(super) fn label(&mut self, name: &'s str) -> Parsed<()> {
        if self.subroutines.contains_key(name) {
            return Ok(());
        }
        let place = self.line();
        let label = self.block(name)?;
        self.push_inst(Opcode::Label, 0, Exec::SCALAR, None, &[Operand::Label(label)], place)
    }

    /// `key =`, whatever the spacing.
    fn key(&mut self, key: &str) -> bool {
        if self.peek() == Tok::Ident && self.slice() == key && self.peek_at(1) == Tok::Eq {
            self.at += 2;
            return true;
        }
        false
    }

    fn expect_key(&mut self, key: &str) -> Parsed<()> {
        if self.key(key) { Ok(()) } else { self.expected(&format!("`{key}=`")) }
    }

    fn decl(&mut self) -> Parsed<()> {
        self.k()?;
        let name_at = self.at;
        let name = self.expect(Tok::Ident, "the variable's name")?;
        let declared = self.declaration(name, name_at);
        if declared.is_err() {
            self.symbols.poison(name);
        }
        declared
    }

    /// The rest of a declaration, after the name.
    fn declaration(&mut self, name: &'s str, name_at: usize) -> Parsed<()> {
        self.expect_key("v_type")?;
        let class = self.expect(Tok::Ident, "G, A, P, S or T")?;
        let declared = match class {
            "G" => self.general_decl(name)?,
            "A" | "P" | "S" | "T" => self.simple_decl(name, class)?,
            _ => {
                self.at -= 1;
                return self.expected("G, A, P, S or T");
            }
        };
        if !self.symbols.declare(name, declared) {
            self.at = name_at;
            return self.fail(format!("`{name}` is declared twice in this scope"));
        }
        Ok(())
    }

    fn general_decl(&mut self, name: &str) -> Parsed<Symbol> {
        self.expect_key("type")?;
        let ty = match Type::from_name(&self.slice().to_ascii_lowercase()) {
            Some(ty) if !ty.is_packed() => ty,
            _ => return self.expected("one of ud, d, uw, w, ub, b, uq, q, f, df, hf, bf, bool"),
        };
        self.at += 1;
        self.expect_key("num_elts")?;
        let num_elements = self.int_in(1..=65535, "the number of elements")?;
        let align = if self.key("align") { self.align()? } else { Align::Byte };
        let alias = if self.key("alias") { self.alias()? } else { None };
        let attrs = self.attrs()?;
        let name = self.intern(name.as_bytes());
        let vars = &mut self.k()?.vars;
        vars.push(GeneralVar { name, ty, align, num_elements, alias, attrs });
        Ok(Symbol::General(VarId::from_declared(vars.len() - 1)))
    }

    /// `byte`, ..., `wordx64`, the old spellings `2GRF`, `32word`, `64word`, or a number of bytes.
    fn align(&mut self) -> Parsed<Align> {
        let start = self.at;
        let word = self.raw_word(b"(");
        let found = match word {
            "2GRF" => Some(Align::Grf2),
            "32word" => Some(Align::Word32),
            "64word" => Some(Align::Word64),
            _ => Align::from_name(word)
                .or_else(|| Align::ALL.iter().copied().find(|a| a.name().eq_ignore_ascii_case(word))),
        };
        if let Some(align) = found {
            return Ok(align);
        }
        self.at = start;
        if self.peek() == Tok::Ident {
            return self.expected("byte, word, dword, qword, oword, hword, GRF, GRFx2, wordx32, wordx64");
        }
        let bytes = self.int_exp_closed()?;
        let by_size = [
            Align::Byte,
            Align::Word,
            Align::Dword,
            Align::Qword,
            Align::Oword,
            Align::Hword,
            Align::Word32,
            Align::Word64,
        ];
        match by_size.into_iter().find(|a| i64::from(a.bytes(32)) == bytes) {
            Some(align) => Ok(align),
            None => {
                self.at -= 1;
                self.fail(format!("an alignment of {bytes} bytes; allowed: 1, 2, 4, 8, 16, 32, 64, 128"))
            }
        }
    }

    fn alias(&mut self) -> Parsed<Option<Alias>> {
        self.expect(Tok::Lt, "`<`")?;
        let base = self.general_name()?;
        self.expect(Tok::Comma, "`,`")?;
        let start = self.token().at();
        let offset = self.int_exp_closed()?;
        let offset = self.in_range(start, offset, 0..=65535, "the alias offset")?;
        self.expect(Tok::Gt, "`>`")?;
        Ok(Some(Alias { base, offset, file_scope: false }).filter(|a| !a.base.is_null()))
    }

    fn simple_decl(&mut self, name: &str, class: &str) -> Parsed<Symbol> {
        self.expect_key("num_elts")?;
        let num_elements = self.int_in(1..=65535, "the number of elements")?;
        let mut stored = name;
        if self.key("v_name") {
            stored = self.raw_word(b"");
        }
        let attrs = self.attrs()?;
        let var = SimpleVar { name: self.intern(stored.as_bytes()), num_elements, attrs };
        let (found, allowed) = {
            let kernel = self.k()?;
            match class {
                "A" => (kernel.addrs.len(), 65535),
                "P" => (kernel.preds.len(), 1 << 20),
                "S" => (kernel.samplers.len(), 31),
                _ => (kernel.surfaces.len(), 250),
            }
        };
        if found >= allowed {
            return self.fail(format!("a kernel has at most {allowed} variables of class {class}"));
        }
        let kernel = self.k()?;
        Ok(match class {
            "A" => {
                kernel.addrs.push(var);
                Symbol::Address(AddrId(to_u16(found)))
            }
            "P" => {
                kernel.preds.push(var);
                Symbol::Predicate(PredId::from_declared(found))
            }
            "S" => {
                kernel.samplers.push(var);
                Symbol::Sampler(SamplerId(to_u16(found)))
            }
            _ => {
                kernel.surfaces.push(var);
                Symbol::Surface(SurfaceId::from_declared(found))
            }
        })
    }

    /// `attrs={Name, Name=1, Name="text"}`, if it is next.
    fn attrs(&mut self) -> Parsed<AttrRange> {
        let start = to_index(self.k()?.attr_table.len());
        if !self.key("attrs") {
            return Ok(AttrRange::default());
        }
        self.expect(Tok::LBrace, "`{`")?;
        loop {
            let (name, value) = self.attr(AttrList::Braces)?;
            self.k()?.attr_table.push(name, &value);
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        self.expect(Tok::RBrace, "`}`")?;
        let len = to_index(self.k()?.attr_table.len()) - start;
        if len > 255 {
            return self.fail("a variable has at most 255 attributes");
        }
        Ok(AttrRange { start, len: to_u16(len) })
    }

    /// One attribute: name and value.
    fn attr(&mut self, list: AttrList) -> Parsed<(StrId, Vec<u8>)> {
        let name = self.expect(Tok::Ident, "the attribute's name")?;
        let name = if name == "AsmName" { "OutputAsmPath" } else { name };
        let mut value = Vec::new();
        if self.eat(Tok::Eq) && !matches!(self.peek(), Tok::Newline | Tok::Comma) {
            if self.peek() == Tok::Str {
                let text = self.string()?;
                value = match (name, text.as_slice()) {
                    ("Target", b"cm") => vec![0],
                    ("Target", b"3d") => vec![1],
                    ("Target", _) => {
                        self.at -= 1;
                        return self.expected("\"cm\" or \"3d\"");
                    }
                    _ => text,
                };
            } else {
                let start = self.token().at();
                let number = match list {
                    AttrList::Braces => self.int_exp_closed()?,
                    AttrList::Line => self.int_exp()?,
                };
                let number: i64 = self.in_range(start, number, -(1 << 31)..=u32::MAX.into(), "the value")?;
                value = match name {
                    "Target" => vec![low_u8(number)],
                    _ => low_u32(number).to_le_bytes().to_vec(),
                };
            }
        }
        if value.len() > 255 {
            return self.fail("an attribute's value has at most 255 bytes");
        }
        if attr_kind(name) == Some(AttrKind::Bool) {
            value.clear();
        }
        Ok((self.intern(name.as_bytes()), value))
    }

    fn kernel_attr(&mut self) -> Parsed<()> {
        self.k()?;
        let attr = self.attr(AttrList::Line)?;
        if self.kernel_attrs.len() >= 65535 {
            return self.fail("a kernel has at most 65535 attributes");
        }
        self.kernel_attrs.push(attr);
        Ok(())
    }

    fn implicit(&mut self, name: &str) -> Parsed<()> {
        let known = PROVENANCES.iter().find(|p| p.0 == name).map(|p| p.1);
        let numbered = || {
            let n: u8 = name.strip_prefix("UNDEFINED_")?.parse().ok()?;
            (n < 32).then_some(Provenance(n))
        };
        match known.or_else(numbered) {
            Some(provenance) => self.input(provenance),
            None => {
                self.at -= 1;
                let names: Vec<_> = PROVENANCES.iter().map(|p| p.0).collect();
                let allowed = names.join(", ");
                self.fail(format!("`.implicit_{name}` is no input; allowed: {allowed}, UNDEFINED_<0 to 31>"))
            }
        }
    }

    fn input(&mut self, provenance: Provenance) -> Parsed<()> {
        self.k()?;
        let var = match self.symbol()? {
            Symbol::General(v) if v.declared().is_some() => InputVar::General(v),
            Symbol::Sampler(s) => InputVar::Sampler(s),
            Symbol::Surface(s) => InputVar::Surface(s),
            other => {
                self.at -= 1;
                return self.fail(format!(
                    "`{}` is {}, which cannot be an input",
                    self.slice(),
                    other.kind()
                ));
            }
        };
        let offset = if self.key("offset") { self.int_in(0..=32767, "the offset")? } else { 0 };
        let size = if self.key("size") { Some(self.int_in(0..=65535, "the size")?) } else { None };
        self.attrs()?;
        let kernel = self.k()?;
        let natural = match var {
            InputVar::General(v) => kernel.var(v).map_or(0, GeneralVar::bytes),
            InputVar::Sampler(_) | InputVar::Surface(_) => 4,
        };
        let size = size.unwrap_or(u16::try_from(natural).unwrap_or(u16::MAX));
        kernel.inputs.push(Input { var, provenance, offset, size });
        Ok(())
    }
}
