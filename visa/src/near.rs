//! Words that are easily mistaken for another, for messages.

/// The known word that differs in a letter or two, if there is one. Two letters that changed places are one difference.
#[cold]
pub(crate) fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LONGEST: usize = 24;
    if word.len() > LONGEST {
        return None;
    }
    let word = word.to_ascii_lowercase();
    let most = if word.len() > 4 { 2 } else { 1 };
    let near = known.into_iter().filter(|k| k.len().abs_diff(word.len()) <= most);
    let near = near.map(|k| (strsim::osa_distance(&word, &k.to_ascii_lowercase()), k));
    // Of two that are as near, the one that has a letter too many rather than another.
    near.filter(|(d, _)| *d <= most).min_by_key(|(d, k)| (*d, !word.starts_with(k))).map(|(_, k)| k)
}

/// The known name that differs in a letter or two. Names that differ in numbers alone, or have no three letters,
/// are as good as any other.
#[cold]
pub(crate) fn similar_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = |n: &str| n.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let wanted = letters(name);
    let named = |k: &&str| k.len().abs_diff(name.len()) <= 2 && letters(k) != wanted;
    if wanted.len() < 3 { None } else { suggestion(name, known.into_iter().filter(named)) }
}
