//! Writes the fuzz targets' first inputs: `cargo run --release -p tests --bin fuzz-seeds` fills
//! `fuzz/corpus/<target>/`.

use std::{error::Error, fs};

use tests::{data, fuzz::TARGETS};

fn main() -> Result<(), Box<dyn Error>> {
    for target in TARGETS {
        let directory = data::workspace().join("fuzz/corpus").join(target.name);
        fs::create_dir_all(&directory)?;
        let seeds = (target.seeds)();
        for (i, seed) in seeds.iter().enumerate() {
            fs::write(directory.join(format!("seed-{i:04}")), seed)?;
        }
        println!("{}: {} seeds in {}", target.name, seeds.len(), directory.display());
    }
    Ok(())
}
