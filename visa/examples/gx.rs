use visa::text::*;
fn toks(s: &str) -> Vec<String> {
    let mut v = vec![];
    for l in s.lines() {
        let l = match l.find("//") {
            Some(i) => &l[..i],
            None => l,
        };
        v.extend(l.split_whitespace().map(str::to_owned));
    }
    v
}
fn main() {
    let (mut n, mut bad) = (0, 0);
    for dir in std::env::args().skip(1) {
        let mut m = None;
        let mut texts = vec![];
        for e in std::fs::read_dir(&dir).unwrap() {
            let p = e.unwrap().path();
            match p.extension().and_then(|e| e.to_str()) {
                Some("isa") => m = Some(visa::read(&std::fs::read(&p).unwrap()).unwrap()),
                Some("visaasm") => texts.push((p.clone(), std::fs::read_to_string(&p).unwrap())),
                _ => {}
            }
        }
        let Some(m) = m else { continue };
        for (p, t) in texts {
            n += 1;
            let a = toks(&t);
            let name = a[3].trim_matches('"');
            let Some(k) = m.kernels.iter().find(|k| k.name() == name) else {
                println!("{p:?} no kernel {name}");
                bad += 1;
                continue;
            };
            let b = toks(&print_kernel(&m, k, TextOptions { intel_names: true, ..Default::default() }));
            if a != b {
                bad += 1;
                let i = a.iter().zip(&b).position(|(x, y)| x != y).unwrap_or(a.len().min(b.len()));
                println!(
                    "{p:?}: token {i}/{}: {:?} vs {:?}",
                    a.len(),
                    &a[i.saturating_sub(5)..(i + 6).min(a.len())],
                    &b[i.saturating_sub(5).min(b.len())..(i + 6).min(b.len())]
                );
            }
        }
    }
    println!("{n} dumps {bad} bad");
}
