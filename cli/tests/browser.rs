//! The page of `--report` in a browser: Chromium without a window, which says what is in the document.
//!
//! Without Chromium these tests count as ignored; `apt-get install chromium` on Debian. `VISA_FINALIZE_CHROMIUM`
//! names another one when the tests are built.

use std::{
    fmt::Write,
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/saxpy_skl.isa");

fn finalize(dir: &Path, args: &[&str]) {
    let out = Command::new(env!("CARGO_BIN_EXE_visa-finalize")).args(args).current_dir(dir).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

/// The document after the script ran, and the time that all took.
fn document(page: &Path, place: &str) -> (String, Duration) {
    let started = Instant::now();
    let profile = tempfile::tempdir().unwrap();
    let out = Command::new(option_env!("VISA_FINALIZE_CHROMIUM").unwrap_or("chromium"))
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1600,1000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}#{place}", page.display()))
        .output()
        .expect("Chromium starts");
    (String::from_utf8_lossy(&out.stdout).into_owned(), started.elapsed())
}

/// An attribute of the document's root.
fn root(document: &str, name: &str) -> Option<u64> {
    let tag = document.split_once("<html")?.1.split_once('>')?.0;
    tag.split_once(&format!("{name}=\""))?.1.split_once('"')?.0.parse().ok()
}

/// What the script has put into the document: the part before the data.
fn shown(document: &str) -> &str {
    document.split("<script type=\"application/json\"").next().unwrap_or_default()
}

#[test]
#[cfg_attr(not(chromium), ignore = "Chromium is not installed")]
fn every_part_of_the_page_is_there_and_no_script_fails() {
    let dir = tempfile::tempdir().unwrap();
    fs::copy(EXAMPLE, dir.path().join("k.isa")).unwrap();
    finalize(dir.path(), &["k.isa", "-p", "skl,tgllp", "-q"]);
    // Two platforms are two entries of the list; the code that the object carries stands beside.
    let args = ["k.gen.isa", "-p", "skl,tgllp", "--report", "page.html", "--beside", "intel", "-q"];
    finalize(dir.path(), &args);
    let page = dir.path().join("page.html");
    let parts = [
        (
            "",
            &["<h1 id=\"kernel-name\" title=\"saxpy\">saxpy</h1>", "Registers at the peak", "<b>send</b>"][..],
        ),
        ("at=8", &["row selected", "Comes from", "gather4_scaled", "Payload", "binding table entry"]),
        ("at=8&tab=registers", &["registers in use at", "<canvas id=\"map\"", "next read"]),
        ("tab=waits", &["cycles are waits", "Longest waits", "message to dc1"]),
        ("tab=messages", &["4 messages", "untyped surface read", "nothing is spilled"]),
        ("tab=flow", &["<svg", "block", "class=\"f", "channels go"]),
        ("tab=passes", &["from vISA to code", "structurize"]),
        ("tab=compare", &["of our 14 instructions stand in both", "Cycles, loops 8 times"]),
        ("kernel=1&theme=dark", &["data-theme=\"dark\"", "tgllp, SIMD16"]),
    ];
    for (place, wanted) in parts {
        let (document, _) = document(&page, place);
        assert_eq!(root(&document, "data-errors"), Some(0), "{place}: {}", shown(&document));
        for part in wanted {
            let whole = document.split("<body").next().unwrap_or_default().to_owned() + shown(&document);
            assert!(whole.contains(part), "{place}: no {part} in {whole}");
        }
    }
}

#[test]
#[cfg_attr(not(chromium), ignore = "Chromium is not installed")]
fn names_are_text_whatever_they_look_like() {
    let dir = tempfile::tempdir().unwrap();
    let name =
        "</script><script>document.documentElement.dataset.owned=1</script><img src=x onerror=alert(1)>";
    let text = format!(
        ".version 4.1\n.kernel \"{name}\"\n.decl V32 v_type=G type=d num_elts=8 align=GRF\n\
         .function \"main\"\nmain:\n    mov (M1, 8) V32(0,0)<1> 0x1:d\n    ret (M1, 1)\n"
    );
    fs::write(dir.path().join("k.visaasm"), text).unwrap();
    finalize(dir.path(), &["k.visaasm", "-p", "skl", "--report", "page.html", "-q"]);
    let page = dir.path().join("page.html");
    assert!(!fs::read_to_string(&page).unwrap().contains("<img"), "names go through the data");
    let (document, _) = document(&page, "");
    assert_eq!((root(&document, "data-errors"), root(&document, "data-owned")), (Some(0), None));
    assert!(shown(&document).contains("&lt;/script&gt;"), "{}", shown(&document));
    assert!(!shown(&document).contains("<img"), "{}", shown(&document));
}

/// A kernel of so many vISA instructions: loops and branches around arithmetic and messages.
fn large(instructions: usize) -> String {
    let mut text = ".version 4.1\n.kernel \"large\"\n".to_owned();
    for v in 0..60 {
        let _ = writeln!(text, ".decl V{} v_type=G type=d num_elts=8 align=GRF", 32 + v);
    }
    text += ".decl P1 v_type=P num_elts=8\n.decl T6 v_type=T num_elts=1 v_name=T6\n.input V32 offset=32 size=32\n\
             .input T6 offset=64 size=4\n.function \"main\"\nmain:\n";
    for v in 33..92 {
        let _ = writeln!(text, "    mov (M1, 8) V{v}(0,0)<1> V32(0,0)<1;1,0>");
    }
    for block in 0..instructions / 50 {
        let _ = writeln!(text, "L{block}:");
        for i in 0..46 {
            let (a, b, c) = (33 + (block + i) % 59, 33 + (block * 7 + i * 3) % 59, 33 + (i * 11) % 59);
            let _ = writeln!(text, "    add (M1, 8) V{a}(0,0)<1> V{b}(0,0)<1;1,0> V{c}(0,0)<1;1,0>");
        }
        let v = 33 + block % 59;
        let _ = writeln!(text, "    scatter4_scaled.R (M1, 8) T6 0x0:ud V32.0 V{v}.0");
        let _ = writeln!(text, "    cmp.lt (M1, 8) P1 V{v}(0,0)<1;1,0> 0x64:d");
        let _ = writeln!(text, "    (P1) goto (M1, 8) L{}", if block % 3 == 0 { block } else { block + 1 });
    }
    let _ = writeln!(text, "L{}:\n    ret (M1, 1)", instructions / 50);
    text
}

#[test]
#[cfg_attr(not(chromium), ignore = "Chromium is not installed")]
fn a_kernel_of_ten_thousand_instructions_opens_in_two_seconds() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("k.visaasm"), large(10_000)).unwrap();
    finalize(dir.path(), &["k.visaasm", "-p", "skl", "--report", "page.html", "-q"]);
    let page = dir.path().join("page.html");
    let (first, whole) = document(&page, "");
    let ready = root(&first, "data-ready").expect("the script came to its end");
    println!("ready after {ready} ms, {whole:?} with the start of the browser");
    assert_eq!(root(&first, "data-errors"), Some(0));
    assert!(ready < 2000, "{ready} ms");
    // The document holds the rows in sight, not all.
    let rows = shown(&first).matches("class=\"row").count();
    assert!((20..600).contains(&rows), "{rows} rows");
    for tab in ["registers", "waits", "flow"] {
        let (document, _) = document(&page, &format!("at=5000&tab={tab}"));
        assert_eq!(root(&document, "data-errors"), Some(0), "{tab}");
        assert!(root(&document, "data-ready").is_some_and(|ms| ms < 2000), "{tab}");
    }
}
