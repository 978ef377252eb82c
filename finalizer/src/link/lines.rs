//! Lines of source code: what the marks `FILE` and `LOC` of vISA say of each instruction of the code.

use gen_ir::{Inst, Kernel, Physical};
use narrow::{as_index, to_index};
use visa::Op;

use crate::{Line, Lines, link::debug::DebugRoutine};

/// What a mark says: file and line.
type Mark = (u32, u32);

/// The lines of a binary. `offsets` says where the instructions of the code begin.
pub(crate) fn find(code: &Kernel<Physical>, parts: &[DebugRoutine<'_>], offsets: &[u32]) -> Lines {
    let mut lines = Lines::default();
    let mut insts = code.insts().map(|(_, inst)| inst.origin).zip(offsets);
    for part in parts {
        let of_part = insts.by_ref().take(part.insts.1 - part.insts.0);
        let (marks, mark_of) = marks(part.source, &mut lines.files);
        let first = marks.iter().position(|(_, line)| *line != 0);
        let Some(first) = first else {
            // A routine without marks does not go on with the lines of the one before it.
            for (_, &offset) in of_part {
                if lines.rows.last().is_some_and(|before| before.line != 0) {
                    lines.rows.push(Line { offset, file: 0, line: 0, is_statement: false });
                }
            }
            continue;
        };
        // What comes before all marks, such as the loading of a payload, is for where the source begins.
        let (mut seen, mut before) = (vec![false; marks.len()], None);
        for (origin, &offset) in of_part {
            let own = (origin != Inst::<Physical>::NO_ORIGIN).then(|| mark_of.get(as_index(origin)));
            let mark = own.flatten().copied().flatten().or(before).unwrap_or(first);
            let (file, line) = marks[mark];
            if before.is_none_or(|before| marks[before] != marks[mark] || !seen[mark]) {
                lines.rows.push(Line { offset, file, line, is_statement: !seen[mark] });
            }
            seen[mark] = true;
            before = Some(mark);
        }
    }
    lines
}

/// The marks of a routine, and for each instruction the number of the last one before it.
fn marks(source: &visa::Kernel, files: &mut Vec<String>) -> (Vec<Mark>, Vec<Option<usize>>) {
    let (mut marks, mut mark_of) = (Vec::new(), Vec::with_capacity(source.code.len()));
    let mut file = None;
    for (number, record) in source.code.iter().enumerate() {
        if matches!(record.opcode, visa::Opcode::File | visa::Opcode::Loc) {
            match source.try_inst(number).map(|inst| inst.op) {
                Ok(Op::File(name)) => file = Some(number_of(&source.str(name), files)),
                // A line of no file says nothing.
                Ok(Op::Loc(line)) => marks.extend(file.map(|file| (file, line))),
                _ => {}
            }
        }
        mark_of.push(marks.len().checked_sub(1));
    }
    (marks, mark_of)
}

fn number_of(name: &str, files: &mut Vec<String>) -> u32 {
    let number = files.iter().position(|f| f == name).unwrap_or_else(|| {
        files.push(name.to_owned());
        files.len() - 1
    });
    to_index(number)
}
