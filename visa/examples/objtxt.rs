use visa::text::*;
fn main() {
    for path in std::env::args().skip(1) {
        let m = visa::read(&std::fs::read(&path).unwrap()).unwrap();
        let opt = TextOptions::default();
        let p = print(&m, opt);
        std::fs::write("/tmp/visa/last.visaasm", &p).unwrap();
        match parse(&p, opt) {
            Err(e) => {
                println!("{path}:");
                for f in e.0.iter().take(3) {
                    println!("   {f} | {}", p.lines().nth(f.line as usize - 1).unwrap_or(""));
                }
            }
            Ok(m2) => {
                let p2 = print(&m2, opt);
                if p2 != p {
                    let i = p.lines().zip(p2.lines()).position(|(a, b)| a != b).unwrap_or(0);
                    println!("{path}: {:?} vs {:?}", p.lines().nth(i), p2.lines().nth(i));
                }
            }
        }
    }
}
