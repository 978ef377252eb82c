//! The server: connections, and the GPU that they share.

use narrow::{as_index, to_u64};
use std::{
    io::{self, BufReader, BufWriter, Read, Write},
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    thread::{self, JoinHandle},
};

use emulator::Options;
use platforms::Platform;
use rustc_hash::FxHashMap;

use crate::{
    Error,
    findings::Findings,
    kernels::Kernels,
    memory::World,
    pages::Global,
    protocol::{self, Message},
    run::unshared,
    stream::{Context, Ended, Machine, Registers, engine},
};

/// Bytes that are moved between socket and memory at a time.
const PIECE: usize = 1 << 16;
/// Connections at a time: a driver has one for each engine.
const MOST_CONNECTIONS: usize = 64;
/// Contexts of a connection: a driver has one.
const MOST_CONTEXTS: usize = 64;

/// How the GPU is made.
#[derive(Clone, Debug)]
pub struct Config {
    /// Whose code it runs.
    pub platform: Platform,
    /// A port of this machine; any free one if 0.
    pub port: u16,
    /// Processors to use.
    pub threads: usize,
    /// Bytes of memory.
    pub memory: u64,
    /// What the emulator looks for, and how many instructions a group may run.
    pub options: Options,
    /// Where programs that are built are kept.
    pub programs: Option<PathBuf>,
}

impl Config {
    /// A GPU of a platform, on all processors, with 8 GB of memory.
    pub fn new(platform: Platform) -> Config {
        Config {
            platform,
            port: 0,
            threads: thread::available_parallelism().map_or(1, Into::into),
            memory: 8 << 30,
            options: Options { max_instructions: 100_000_000, ..Options::default() },
            programs: None,
        }
    }
}

/// A running server. It ends when it is dropped, or asked to.
#[derive(Debug)]
pub struct Server {
    port: u16,
    shared: Arc<Shared>,
    listener: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    gpu: Mutex<Gpu>,
    stop: AtomicBool,
    /// Open connections, by number.
    open: Mutex<FxHashMap<usize, TcpStream>>,
}

/// The GPU.
struct Gpu {
    config: Config,
    world: Arc<World>,
    kernels: Kernels,
    findings: Findings,
    connections: FxHashMap<usize, ConnectionState>,
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gpu").field("config", &self.config).finish_non_exhaustive()
    }
}

/// What belongs to a connection beside its memory.
#[derive(Debug, Default)]
struct ConnectionState {
    global: Global,
    registers: Registers,
    contexts: Vec<Context>,
    /// Numbers of contexts that stand at a semaphore.
    waiting: Vec<usize>,
    /// Half-written submissions by engine, of the execution list port.
    ports: FxHashMap<u32, Vec<u32>>,
}

impl Server {
    /// Starts to listen.
    ///
    /// # Errors
    ///
    /// The port is not to be had.
    pub fn start(config: Config) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, config.port))?;
        let port = listener.local_addr()?.port();
        let gpu = Gpu {
            world: Arc::new(World::new(config.memory)),
            kernels: Kernels::new(config.platform, config.programs.clone()),
            findings: Findings::default(),
            connections: FxHashMap::default(),
            config,
        };
        let shared =
            Arc::new(Shared { gpu: Mutex::new(gpu), stop: AtomicBool::new(false), open: Mutex::default() });
        let inner = shared.clone();
        let listener = thread::spawn(move || listen(&listener, &inner));
        Ok(Server { port, shared, listener: Some(listener) })
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends all connections, and says what was found.
    pub fn stop(mut self) -> Findings {
        self.end();
        std::mem::take(&mut self.shared.gpu().findings)
    }

    fn end(&mut self) {
        self.shared.stop.store(true, SeqCst);
        for stream in self.shared.open().values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
        // The listener looks whether it is to stop when somebody comes.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
        if let Some(listener) = self.listener.take() {
            let _ = listener.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

impl Shared {
    /// The GPU. Whoever held it before is done, or has a fault of ours that must not spread.
    fn gpu(&self) -> MutexGuard<'_, Gpu> {
        self.gpu.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) -> MutexGuard<'_, FxHashMap<usize, TcpStream>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn listen(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    for stream in listener.incoming() {
        if shared.stop.load(SeqCst) {
            break;
        }
        threads.retain(|t| !t.is_finished());
        let Ok(stream) = stream else { continue };
        if threads.len() < MOST_CONNECTIONS {
            let shared = shared.clone();
            threads.push(thread::spawn(move || connection(stream, &shared)));
        }
    }
    for thread in threads {
        let _ = thread.join();
    }
}

/// A stream whose arrivals are acknowledged at once.
///
/// The driver sends a message in several small pieces, and its system holds a piece back until the one before is
/// acknowledged (Nagle's algorithm). Acknowledgements wait for up to 40 ms for data to go with, so each read by the
/// driver would.
struct Prompt<'a>(&'a TcpStream);

impl Read for Prompt<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        // The system forgets the setting. Without it all is right, and slower.
        #[cfg(target_os = "linux")]
        let _ = std::os::linux::net::TcpStreamExt::set_quickack(self.0, true);
        self.0.read(bytes)
    }
}

/// Serves a connection to its end.
fn connection(stream: TcpStream, shared: &Shared) {
    let number = {
        let mut gpu = shared.gpu();
        let number = unshared(&mut gpu.world).connect();
        gpu.connections.insert(number, ConnectionState::default());
        number
    };
    let _ = stream.set_nodelay(true);
    let served = stream.try_clone().map_err(Error::from).and_then(|clone| {
        shared.open().insert(number, clone);
        if shared.stop.load(SeqCst) {
            return Ok(());
        }
        let (input, output) =
            (BufReader::with_capacity(PIECE, Prompt(&stream)), BufWriter::with_capacity(PIECE, &stream));
        serve(input, output, number, shared)
    });
    shared.open().remove(&number);
    let mut gpu = shared.gpu();
    gpu.connections.remove(&number);
    unshared(&mut gpu.world).disconnect(number);
    match served {
        // A program that ends closes its sockets as it likes.
        Ok(()) | Err(Error::Io(_)) => {}
        Err(why) => gpu.findings.fault(format!("connection closed: {why}")),
    }
    drop(gpu);
    // The other side sees the end when its memory is gone.
    let _ = stream.shutdown(Shutdown::Both);
}

fn serve(mut input: impl Read, mut output: impl Write, number: usize, shared: &Shared) -> Result<(), Error> {
    let mut leaves_out = false;
    while let Some((id, message)) = protocol::read(&mut input)? {
        match message {
            Message::Turns { process } => {
                leaves_out = true;
                unshared(&mut shared.gpu().world).set_process(number, process);
            }
            Message::Control | Message::Other(_) => {}
            Message::RegisterWrite { offset, value } => shared.gpu().set_register(number, offset, value),
            Message::RegisterRead { offset } => {
                let value = shared.gpu().connection(number).registers.get(offset);
                protocol::answer_register(&mut output, id, value)?;
                output.flush()?;
            }
            Message::Global { index, entry } => shared.gpu().connection(number).global.set(index, entry),
            Message::Write { address, length } => write(&mut input, number, address, length, shared)?,
            Message::Read { address, length } => {
                read(&mut output, number, (id, address, length), leaves_out, shared)?;
                output.flush()?;
            }
            Message::HowFar => {
                let said = shared.gpu().how_far(number);
                let length = if said.is_some() { 8 } else { 0 };
                let (address, value) = said.unwrap_or_default();
                protocol::answer_read(&mut output, id, address, length, None)?;
                output.write_all(&value.to_le_bytes()[..as_index(length)])?;
                output.flush()?;
            }
        }
    }
    Ok(())
}

fn read(
    output: &mut impl Write,
    number: usize,
    (id, address, length): (u32, u64, u32),
    leaves_out: bool,
    shared: &Shared,
) -> Result<(), Error> {
    // The driver reads by pages. Of more than a piece it is not said whether all is as it was.
    if !(1..=PIECE).contains(&as_index(length)) {
        protocol::answer_read(output, id, address, length, None)?;
    }
    for (at, n) in pieces(address, length) {
        let mut bytes = vec![0; n];
        let unchanged = {
            let mut gpu = shared.gpu();
            let world = unshared(&mut gpu.world);
            let is_unchanged = world.send(number, at, &mut bytes);
            is_unchanged.then(|| match leaves_out {
                true => world.unchanged_pages(number, at + to_u64(n), protocol::MOST_PAGES),
                false => 0,
            })
        };
        if n == as_index(length) {
            protocol::answer_read(output, id, address, length, unchanged)?;
            if unchanged.is_some() && leaves_out {
                return Ok(());
            }
        }
        output.write_all(&bytes)?;
    }
    Ok(())
}

fn write(
    input: &mut impl Read,
    number: usize,
    address: u64,
    length: u32,
    shared: &Shared,
) -> Result<(), Error> {
    for (at, n) in pieces(address, length) {
        let mut bytes = vec![0; n];
        input.read_exact(&mut bytes)?;
        unshared(&mut shared.gpu().world).receive(number, at, &bytes)?;
    }
    shared.gpu().go_on();
    Ok(())
}

/// A stretch of memory in pieces: address and bytes.
fn pieces(address: u64, length: u32) -> impl Iterator<Item = (u64, usize)> {
    let length = as_index(length);
    (0..length).step_by(PIECE).map(move |at| (address + to_u64(at), PIECE.min(length - at)))
}

impl Gpu {
    fn connection(&mut self, number: usize) -> &mut ConnectionState {
        self.connections.entry(number).or_default()
    }

    /// What a connection's commands have written last to say how far they are: a physical address and what is there.
    fn how_far(&self, number: usize) -> Option<(u64, u64)> {
        let contexts = &self.connections.get(&number)?.contexts;
        contexts.iter().rev().find_map(|context| context.how_far(&self.world))
    }

    /// A register of the driver's: submissions are writes to some.
    fn set_register(&mut self, number: usize, offset: u32, value: u32) {
        let connection = self.connection(number);
        connection.registers.set(offset, value);
        let (first, register) = (offset & !0xfff, offset & 0xfff);
        let descriptor = match register {
            // Gen8, Gen9: four dwords, of two contexts; the last one is the low half of the first context's.
            engine::SUBMIT_PORT => {
                let port = connection.ports.entry(first).or_default();
                port.push(value);
                if port.len() < 4 {
                    return;
                }
                let low = port[3];
                port.clear();
                low
            }
            // From Gen11 on: the queue's first entry is loaded.
            engine::CONTROL if value & 1 != 0 => connection.registers.get(first + engine::QUEUE),
            _ => return,
        };
        if let Err(why) = self.submit(number, first, u64::from(descriptor & 0xffff_f000)) {
            self.findings.fault(format!("engine {first:#x}: {why}"));
        }
        self.go_on();
    }

    fn submit(&mut self, number: usize, engine: u32, image: u64) -> Result<(), Error> {
        let Gpu { world, connections, .. } = self;
        let connection = connections.entry(number).or_default();
        let known = connection.contexts.iter().position(|c| (c.engine, c.image) == (engine, image));
        let index = match known {
            Some(index) => index,
            None if connection.contexts.len() == MOST_CONTEXTS => {
                return Err(Error::command(image, format!("found more than {MOST_CONTEXTS} contexts")));
            }
            None => {
                connection.contexts.push(Context::new(number, engine, image));
                connection.contexts.len() - 1
            }
        };
        connection.contexts[index].submit(unshared(world), &connection.global)?;
        if !connection.waiting.contains(&index) {
            self.run(number, index)?;
        }
        Ok(())
    }

    fn run(&mut self, number: usize, index: usize) -> Result<Ended, Error> {
        let Gpu { config, world, kernels, findings, connections } = self;
        let connection = connections.entry(number).or_default();
        let ConnectionState { global, registers, contexts, waiting, .. } = connection;
        let mut machine = Machine {
            world,
            global,
            registers,
            kernels,
            findings,
            options: &config.options,
            threads: config.threads,
        };
        waiting.retain(|w| *w != index);
        let ended = contexts[index].run(&mut machine)?;
        if ended == Ended::Waits {
            waiting.push(index);
        }
        Ok(ended)
    }

    /// Lets contexts go on whose semaphores may hold now.
    fn go_on(&mut self) {
        loop {
            let mut waiting: Vec<(usize, usize)> =
                self.connections.iter().flat_map(|(n, c)| c.waiting.iter().map(|i| (*n, *i))).collect();
            waiting.sort_unstable();
            let mut went_on = false;
            for (number, index) in waiting {
                match self.run(number, index) {
                    Ok(ended) => went_on |= ended == Ended::Done,
                    Err(why) => self.findings.fault(format!("connection {number}: {why}")),
                }
            }
            if !went_on {
                return;
            }
        }
    }
}
