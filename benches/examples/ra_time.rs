use benches::synthetic::{Shape, kernel};
fn main() {
    let a: Vec<usize> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let mut k = kernel(platforms::Platform::Skl, Shape { insts: a[0], block: 20, live: a[1] });
    structurizer::structurize(&mut k).unwrap();
    let mut best = f64::MAX;
    let mut s = Ok(Default::default());
    for _ in 0..a[2] {
        let t = std::time::Instant::now();
        s = regalloc::allocate(&k, &regalloc::Options::default()).map(|x| x.1);
        best = best.min(t.elapsed().as_secs_f64());
    }
    println!(
        "{} insts {} vars {} blocks: {:.1} ms, {:.2} M/s {s:?}",
        k.inst_count(),
        k.vars.len(),
        k.blocks.len(),
        best * 1e3,
        k.inst_count() as f64 / best / 1e6
    );
}
