//! Options in braces, scoreboard annotations among them.

use super::{cursor::Cursor, instruction::Parsed, token::Token};
use gen_ir::{Options, Payload, Pipe, SbidMode};
use narrow::to_u8;

impl<'a> Cursor<'a> {
    /// `{Compacted,EOT,A@1,$3.src}`.
    pub(super) fn options(&mut self, parsed: &mut Parsed<'a>) -> Option<()> {
        self.advance();
        if self.eat(Token::RBrace) {
            return Some(());
        }
        loop {
            self.option(parsed)?;
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(Token::RBrace, "`,` and another option, or `}`")
    }

    fn option(&mut self, parsed: &mut Parsed<'a>) -> Option<()> {
        const WHAT: &str = "an instruction option";
        let has_scoreboard = self.caps.scoreboard.software;
        let inst = &mut parsed.inst;
        match self.peek() {
            Token::At if has_scoreboard => {
                inst.swsb.dist = Some(self.distance(Pipe::Own)?);
                return Some(());
            }
            Token::Dollar if has_scoreboard => {
                self.advance();
                let sbid = self.sbid()?;
                let mut mode = SbidMode::Set;
                if self.eat(Token::Dot) {
                    mode = match self.peek() {
                        Token::Word("src") => SbidMode::Src,
                        Token::Word("dst") => SbidMode::Dst,
                        _ => return self.unexpected("src or dst"),
                    };
                    self.advance();
                }
                inst.swsb.sbid = Some((mode, sbid));
                return Some(());
            }
            _ => {}
        }
        let Token::Word(word) = self.peek() else { return self.unexpected(WHAT) };
        if self.peek_at(1) == Token::At && has_scoreboard {
            let pipe = match word {
                "F" => Pipe::Float,
                "I" => Pipe::Int,
                "L" => Pipe::Long,
                "M" => Pipe::Math,
                "A" => Pipe::All,
                "S" => Pipe::Scalar,
                _ => return self.unexpected("a pipe: F I L M A S"),
            };
            self.advance();
            inst.swsb.dist = Some(self.distance(pipe)?);
            return Some(());
        }
        match word {
            "EOT" => match &mut inst.payload {
                Payload::Send(send) => send.eot = true,
                _ => return self.unexpected("EOT on a send"),
            },
            "NoCompact" => parsed.no_compact = true,
            "NoAccSBSet" if has_scoreboard => inst.swsb.no_acc_sb_set = true,
            _ => match Options::NAMES.iter().find(|(o, name)| *name == word && *o != Options::ALIGN16) {
                Some((option, _)) => inst.opts = inst.opts.with(*option),
                None => return self.unexpected(WHAT),
            },
        }
        self.advance();
        Some(())
    }

    fn distance(&mut self, pipe: Pipe) -> Option<(Pipe, u8)> {
        self.advance();
        let at = self.here();
        match self.small() {
            Some(n @ 1..=7) => Some((pipe, to_u8(n))),
            _ => {
                self.error_at(at, "another number".into(), "a distance: 1 to 7");
                None
            }
        }
    }
}
