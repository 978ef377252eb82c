//! Bits that the reference disassembler does not see of a word may be filled here, too.

use tests::{
    data::devices,
    oracle::Iga,
    unread::{ask, samples},
};

/// Words that are asked for, of every kind the eighth.
const EVERY: usize = 8;

pub fn what_the_reference_tool_does_not_read_is_not_refused(iga: Iga) {
    for platform in devices() {
        let mut unseen = 0;
        for word in samples(platform).iter().step_by(EVERY) {
            let answer = ask(&iga, platform, word);
            unseen += answer.unseen.len();
            assert!(answer.refused.is_empty(), "{platform} {word:02x?}: {:?}", answer.refused);
        }
        println!("{platform}: {unseen} bits");
        assert!(unseen > 100, "{platform}: {unseen}");
    }
}
