//! Chromium without a window, driven by its DevTools protocol over a pipe: pages are opened, keys pressed, the
//! pointer moved, and what the document holds is read.
//!
//! Chromium reads commands from descriptor 3 and answers on descriptor 4 (`--remote-debugging-pipe`), JSON ended by
//! a zero byte; a shell leads both to our pipes.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

/// The browser that tests use.
pub fn chromium() -> String {
    std::env::var("VISA_FINALIZE_CHROMIUM").unwrap_or_else(|_| "chromium".to_owned())
}

/// A browser with one page open.
pub struct Browser {
    child: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
    session: Option<String>,
    sent: u64,
    /// What scripts threw since the page was opened.
    thrown: Vec<String>,
    opened: u64,
    _profile: tempfile::TempDir,
}

impl Browser {
    pub fn start() -> Browser {
        let profile = tempfile::tempdir().unwrap();
        // Root, as in containers, has no sandbox.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 >/dev/null 2>&1", "sh"])
            .arg(chromium())
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"])
            .args(["--window-size=1600,1000", "--hide-scrollbars", "--no-first-run"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell starts");
        let commands = child.stdin.take().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        let mut browser = Browser {
            child,
            commands,
            answers,
            session: None,
            sent: 0,
            thrown: Vec::new(),
            opened: 0,
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let attached = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", &attached);
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        browser.call("Page.enable", &json!({}));
        browser.call("Runtime.enable", &json!({}));
        browser
    }

    /// Sends a command and waits for its result.
    pub fn call(&mut self, method: &str, params: &Value) -> Value {
        self.sent += 1;
        let id = self.sent;
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        let mut bytes = serde_json::to_vec(&message).unwrap();
        bytes.push(0);
        self.commands.write_all(&bytes).expect("Chromium listens");
        let mut answer = self.until(|m| m["id"] == id);
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].take()
    }

    /// Reads messages up to one of some kind.
    fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut bytes = Vec::new();
            self.answers.read_until(0, &mut bytes).unwrap();
            assert_eq!(bytes.pop(), Some(0), "Chromium has ended");
            let message: Value = serde_json::from_slice(&bytes).unwrap();
            if message["method"] == "Runtime.exceptionThrown" {
                self.thrown.push(message["params"]["exceptionDetails"].to_string());
            }
            if wanted(&message) {
                return message;
            }
        }
    }

    /// Opens a page at a place (`at=8&tab=waits`) and waits for its script to come to the end.
    pub fn open(&mut self, page: &Path, place: &str) {
        // Another address each time: one that differs in its place alone is not loaded again.
        self.opened += 1;
        self.thrown.clear();
        let url = format!("file://{}?{}#{place}", page.display(), self.opened);
        self.call("Page.navigate", &json!({ "url": url }));
        self.until(|m| m["method"] == "Page.loadEventFired");
        assert!(self.number("Number(document.documentElement.dataset.ready)") > 0.0, "{place}");
        self.settled();
    }

    /// Waits until what was asked for is drawn, and sees that no script failed.
    pub fn settled(&mut self) {
        self.evaluate(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))",
        );
        let errors = self.evaluate("document.documentElement.dataset.errors");
        assert!(errors == "0" && self.thrown.is_empty(), "{errors}: {:?}", self.thrown);
    }

    /// The value of an expression in the page.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let mut done = self.call("Runtime.evaluate", &params);
        assert!(done["exceptionDetails"].is_null(), "{expression}: {done}");
        done["result"]["value"].take()
    }

    pub fn number(&mut self, expression: &str) -> f64 {
        let value = self.evaluate(expression);
        value.as_f64().unwrap_or_else(|| panic!("{expression}: {value}"))
    }

    pub fn text(&mut self, expression: &str) -> String {
        let value = self.evaluate(expression);
        value.as_str().unwrap_or_else(|| panic!("{expression}: {value}")).to_owned()
    }

    /// The document as it is, without the data in it.
    pub fn document(&mut self) -> String {
        self.text(
            "document.documentElement.cloneNode(false).outerHTML + document.head.innerHTML + \
             [...document.body.children].filter(e => e.tagName !== 'SCRIPT').map(e => e.outerHTML).join('')",
        )
    }

    /// Presses and releases a key by its name (`ArrowDown`, `j`).
    pub fn key(&mut self, key: &str) {
        let code = match key {
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            "Enter" => 13,
            "Escape" => 27,
            "Tab" => 9,
            _ => 0,
        };
        let mut down = json!({ "type": "keyDown", "key": key, "windowsVirtualKeyCode": code });
        if key == "Enter" {
            down["text"] = "\r".into();
        } else if code == 0 {
            down["text"] = key.into();
        }
        self.call("Input.dispatchKeyEvent", &down);
        self.call(
            "Input.dispatchKeyEvent",
            &json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code }),
        );
        self.settled();
    }

    /// Types a text where the focus is.
    pub fn write(&mut self, text: &str) {
        self.call("Input.insertText", &json!({ "text": text }));
        self.settled();
    }

    /// The middle of an element, which is in sight.
    fn middle(&mut self, selector: &str) -> (f64, f64) {
        let place = format!(
            "(() => {{ const e = document.querySelector({selector:?}); if (!e) return null; \
             e.scrollIntoView({{ block: 'nearest' }}); const r = e.getBoundingClientRect(); \
             return [r.left + Math.min(r.width, 300) / 2, r.top + r.height / 2]; }})()"
        );
        let place = self.evaluate(&place);
        match (place[0].as_f64(), place[1].as_f64()) {
            (Some(x), Some(y)) => (x, y),
            _ => panic!("nothing is {selector}"),
        }
    }

    /// Moves the pointer over an element.
    pub fn point(&mut self, selector: &str) {
        let (x, y) = self.middle(selector);
        self.pointer("mouseMoved", x, y);
        self.settled();
    }

    /// Clicks on an element.
    pub fn click(&mut self, selector: &str) {
        let (x, y) = self.middle(selector);
        self.click_at(x, y);
    }

    /// Clicks on a place of the window.
    pub fn click_at(&mut self, x: f64, y: f64) {
        for event in ["mouseMoved", "mousePressed", "mouseReleased"] {
            self.pointer(event, x, y);
        }
        self.settled();
    }

    fn pointer(&mut self, event: &str, x: f64, y: f64) {
        let mut params = json!({ "type": event, "x": x, "y": y });
        if event != "mouseMoved" {
            params["button"] = "left".into();
            params["clickCount"] = 1.into();
        }
        self.call("Input.dispatchMouseEvent", &params);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
