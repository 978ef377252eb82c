fn main() {
    let mut bad = 0;
    let mut n = 0;
    let mut insts = 0usize;
    let t = std::time::Instant::now();
    let mut bytesn = 0usize;
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        n += 1;
        bytesn += bytes.len();
        match visa::read(&bytes) {
            Err(e) => {
                bad += 1;
                println!("{path}: {e}");
            }
            Ok(m) => {
                insts += m.kernels.iter().chain(&m.functions).map(|k| k.code.len()).sum::<usize>();
                for k in m.kernels.iter().chain(&m.functions) {
                    if !k.quirks.before_code.is_empty()
                        || !k.quirks.after_code.is_empty()
                        || k.quirks.input_offset.is_some()
                    {
                        println!("{path}: quirks {:?}", k.quirks);
                    }
                    for i in 0..k.code.len() {
                        if let Err(e) = k.try_inst(i) {
                            println!("{path}: {:?} {e:?}", k.code[i]);
                            bad += 1;
                        }
                    }
                }
                if m.layout.iter().any(|p| matches!(p, visa::Piece::Gap(_))) {
                    println!("{path}: gap");
                }
                match visa::write(&m) {
                    Ok(w) if w == bytes => {}
                    Ok(_) => {
                        bad += 1;
                        println!("{path}: differs");
                    }
                    Err(e) => {
                        bad += 1;
                        println!("{path}: {e}");
                    }
                }
            }
        }
    }
    println!("{n} files, {bad} bad, {insts} instructions {bytesn} bytes {:?}", t.elapsed());
}
