fn main() {
    let (mut u, mut n) = (0, 0);
    for path in std::env::args().skip(1) {
        let m = visa::read(&std::fs::read(&path).unwrap()).unwrap();
        for k in &m.kernels {
            let mut v: Vec<_> = k.labels.iter().map(|l| k.str(l.name).into_owned()).collect();
            let c = v.len();
            v.sort();
            v.dedup();
            if v.len() == c {
                u += 1
            } else {
                n += 1;
            }
            if n + u < 3 {
                println!(
                    "{} {:?}",
                    k.name(),
                    k.labels.iter().take(8).map(|l| (k.str(l.name), l.name.0, l.kind)).collect::<Vec<_>>()
                );
            }
        }
    }
    println!("unique {u} not {n}");
}
