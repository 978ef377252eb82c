//! What the command writes to, and what it leaves as it was: devices, pipes, links, modes, read-only files. All of
//! them are made in a temporary directory.

use super::{EXAMPLE, run, stderr};
use std::{
    fs,
    io::Read,
    os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink},
    process::Command,
};

/// A directory with the example in it, and the code that it becomes.
fn with_example() -> (tempfile::TempDir, Vec<u8>) {
    let dir = tempfile::tempdir().unwrap();
    fs::copy(EXAMPLE, dir.path().join("k.isa")).unwrap();
    assert!(run(dir.path(), &["k.isa", "-p", "skl", "--emit", "dat", "-o", "code"]).status.success());
    let code = fs::read(dir.path().join("code")).unwrap();
    (dir, code)
}

const TO_OUT: [&str; 7] = ["k.isa", "-p", "skl", "--emit", "dat", "-o", "out"];

#[test]
fn a_pipe_gets_the_result_and_stays_a_pipe() {
    let (dir, code) = with_example();
    let pipe = dir.path().join("out");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || {
            let mut bytes = Vec::new();
            fs::File::open(pipe).unwrap().read_to_end(&mut bytes).unwrap();
            bytes
        }
    });
    let out = run(dir.path(), &TO_OUT);
    assert!(out.status.success(), "{}", stderr(&out));
    assert!(reader.join().unwrap() == code);
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
}

#[test]
fn a_device_stays_a_device() {
    let (dir, _) = with_example();
    let node = dir.path().join("out");
    // A node of the null device; only root can make one.
    let made = Command::new("mknod").arg(&node).args(["c", "1", "3"]).output();
    if !made.is_ok_and(|o| o.status.success()) || fs::write(&node, b"x").is_err() {
        return;
    }
    let before = fs::metadata(&node).unwrap();
    let out = run(dir.path(), &TO_OUT);
    assert!(out.status.success(), "{}", stderr(&out));
    let after = fs::metadata(&node).unwrap();
    assert!(after.file_type().is_char_device());
    assert_eq!((after.rdev(), after.ino()), (before.rdev(), before.ino()));
}

#[test]
fn a_link_is_followed_and_stays_a_link() {
    let (dir, code) = with_example();
    fs::create_dir(dir.path().join("elsewhere")).unwrap();
    symlink("elsewhere/file", dir.path().join("out")).unwrap();
    for _ in 0..2 {
        assert!(run(dir.path(), &TO_OUT).status.success());
        assert!(fs::read(dir.path().join("elsewhere/file")).unwrap() == code);
        assert!(fs::symlink_metadata(dir.path().join("out")).unwrap().is_symlink());
    }
}

#[test]
fn in_place_keeps_modes_links_and_hard_links() {
    let (dir, _) = with_example();
    let file = dir.path().join("k.isa");
    let before = fs::read(&file).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o751)).unwrap();
    symlink("k.isa", dir.path().join("link.isa")).unwrap();
    assert!(run(dir.path(), &["link.isa", "-p", "skl", "--in-place"]).status.success());
    assert!(fs::symlink_metadata(dir.path().join("link.isa")).unwrap().is_symlink());
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o7777, 0o751);
    let with_code = fs::read(&file).unwrap();
    assert!(with_code.len() > before.len());

    fs::hard_link(&file, dir.path().join("other.isa")).unwrap();
    assert!(run(dir.path(), &["k.isa", "-p", "skl,bdw", "--in-place"]).status.success());
    assert!(fs::read(dir.path().join("other.isa")).unwrap() == fs::read(&file).unwrap());
    assert!(fs::read(&file).unwrap().len() > with_code.len());
    assert_eq!(fs::metadata(&file).unwrap().nlink(), 2);
}

#[test]
fn what_is_read_only_is_refused() {
    let (dir, _) = with_example();
    let file = dir.path().join("k.isa");
    let before = fs::read(&file).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    let out = run(dir.path(), &["k.isa", "-p", "skl", "--in-place"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(stderr(&out).contains("read-only"), "{}", stderr(&out));
    assert!(fs::read(&file).unwrap() == before);
}

#[test]
fn a_pipe_that_holds_nothing_good_is_refused_and_not_read_again() {
    let (dir, _) = with_example();
    let pipe = dir.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut command = Command::new(env!("CARGO_BIN_EXE_visa-finalize"));
    let mut child = command.args(["disasm", "pipe", "-p", "skl"]).current_dir(dir.path()).spawn().unwrap();
    fs::write(&pipe, vec![0x7f; 8192]).unwrap();
    for _ in 0..200 {
        if let Some(status) = child.try_wait().unwrap() {
            assert_eq!(status.code(), Some(1));
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    child.kill().unwrap();
    panic!("it waits for a second writer");
}

#[cfg(target_os = "linux")]
#[test]
fn whatever_ends_the_command_leaves_nothing_partial() {
    let (dir, _) = with_example();
    assert!(run(dir.path(), &["k.isa", "-p", "skl", "-q"]).status.success());
    let expected = fs::read(dir.path().join("k.gen.isa")).unwrap();
    fs::create_dir(dir.path().join("in")).unwrap();
    for i in 0..2000 {
        fs::copy(dir.path().join("k.isa"), dir.path().join(format!("in/{i}.isa"))).unwrap();
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_visa-finalize"))
        .args(["in", "-p", "skl", "-q", "-o", "out/"])
        .current_dir(dir.path())
        .spawn()
        .unwrap();
    let made = || fs::read_dir(dir.path().join("out")).map_or(0, Iterator::count);
    while made() < 20 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    // Nobody is asked: not even a handler of signals could clean up.
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(made() < 2000);
    for entry in fs::read_dir(dir.path().join("out")).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(fs::read(&path).unwrap(), expected, "{}", path.display());
    }
}

#[test]
fn pipes_in_a_directory_are_not_waited_for() {
    let (dir, _) = with_example();
    assert!(Command::new("mkfifo").arg(dir.path().join("pipe.isa")).status().unwrap().success());
    let out = run(dir.path(), &[".", "-p", "skl", "-o", "out/"]);
    assert!(out.status.success(), "{}", stderr(&out));
    assert!(dir.path().join("out/k.gen.isa").is_file());
}
