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
    let (mut n, mut bad, mut insts) = (0, 0, 0usize);
    let mut tp = std::time::Duration::ZERO;
    let mut bytes = 0usize;
    for path in std::env::args().skip(1) {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        let grf = if path.contains("/pvc/") { 64 } else { 32 };
        let opt = TextOptions { grf_bytes: grf };
        n += 1;
        bytes += text.len();
        let t = std::time::Instant::now();
        let m = parse(&text, opt);
        tp += t.elapsed();
        let m = match m {
            Err(e) => {
                bad += 1;
                println!("{path}:");
                for f in e.0.iter().take(4) {
                    println!("   {f}  | {}", text.lines().nth(f.line as usize - 1).unwrap_or(""));
                }
                continue;
            }
            Ok(m) => m,
        };
        for k in m.kernels.iter().chain(&m.functions) {
            insts += k.code.len();
            for i in 0..k.code.len() {
                if let Err(e) = k.try_inst(i) {
                    bad += 1;
                    println!("{path}: {e:?}");
                }
            }
        }
        let p = print(&m, opt);
        let (a, b) = (toks(&text), toks(&p));
        let a: Vec<_> = a;
        if a != b {
            bad += 1;
            let i = a.iter().zip(&b).position(|(x, y)| x != y).unwrap_or(a.len().min(b.len()));
            println!(
                "{path}: token {i}: {:?} vs {:?}",
                &a[i.saturating_sub(3)..(i + 5).min(a.len())],
                &b[i.saturating_sub(3).min(b.len())..(i + 5).min(b.len())]
            );
            continue;
        }
        match visa::write(&m) {
            Err(e) => {
                bad += 1;
                println!("{path}: {e}");
            }
            Ok(w) => match visa::read(&w) {
                Err(e) => {
                    bad += 1;
                    println!("{path}: {e}");
                }
                Ok(mut m2) => {
                    let w2 = visa::write(&m2).unwrap();
                    if w2 != w {
                        bad += 1;
                        println!("{path}: rewrite differs");
                    }
                    let mut m = m.clone();
                    for k in m
                        .kernels
                        .iter_mut()
                        .chain(m2.kernels.iter_mut())
                        .chain(m.functions.iter_mut())
                        .chain(m2.functions.iter_mut())
                    {
                        for r in &mut k.code {
                            r.place = 0;
                        }
                    }
                    m2.layout.clear();
                    if m != m2 {
                        bad += 1;
                        println!("{path}: module differs");
                    }
                    let p2 = print(&m2, opt);
                    if p2 != p {
                        bad += 1;
                        println!("{path}: text differs");
                    }
                }
            },
        }
    }
    println!("{n} texts, {bad} bad, {insts} instructions, {bytes} bytes, parse {tp:?}");
}
