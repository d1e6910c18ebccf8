//! The page for a browser in WebKit, which Safari is built on: WebKitGTK's own browser, driven
//! through its WebDriver, on a screen of its own.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::oracles::driven::{Browser, check_page};
use crate::oracles::trial_of_release;

pub fn trials() -> Vec<Trial> {
    let needs = ["WebKitWebDriver", "Xvfb"];
    vec![trial_of_release(&needs, "a page in WebKit", || check_page(&mut WebKit::start()))]
}

/// WebKitGTK's browser, its driver and their screen.
struct WebKit {
    screen: Child,
    driver: Child,
    port: u16,
    session: String,
    /// The folder with what the browser writes.
    home: tempfile::TempDir,
}

impl WebKit {
    fn start() -> WebKit {
        let home = tempfile::tempdir().unwrap();
        // Xvfb chooses a screen, and prints its number.
        let mut screen = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1500x1000x24", "-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut number = String::new();
        BufReader::new(screen.stdout.take().unwrap()).read_line(&mut number).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let said = File::create(home.path().join("said")).unwrap();
        let driver = Command::new("WebKitWebDriver")
            .arg(format!("--port={port}"))
            .env("DISPLAY", format!(":{}", number.trim()))
            .env("HOME", home.path())
            .stdout(said.try_clone().unwrap())
            .stderr(said)
            .spawn()
            .unwrap();
        let mut webkit = WebKit { screen, driver, port, session: String::new(), home };
        let end = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < end, "WebKitWebDriver has not started");
            sleep(Duration::from_millis(50));
        }
        let arguments = ["--automation", "--enable-write-console-messages-to-stdout=true"];
        let options = json!({"webkitgtk:browserOptions": {"args": arguments}});
        let wanted = json!({"capabilities": {"alwaysMatch": options}});
        let session = webkit.ask("POST", "/session", &wanted);
        webkit.session = format!("/session/{}", session["sessionId"].as_str().unwrap());
        webkit.command("/window/rect", &json!({"width": 1400, "height": 900}));
        webkit
    }

    /// The value that the driver answers.
    fn ask(&self, method: &str, path: &str, arguments: &Value) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let body = arguments.to_string();
        let size = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {size}\r\n\r\n{body}",
            self.port
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(" 200 "), "{path} {arguments}: {answer}");
        serde_json::from_str::<Value>(body).unwrap()["value"].clone()
    }

    fn command(&self, path: &str, arguments: &Value) -> Value {
        self.ask("POST", &format!("{}{path}", self.session), arguments)
    }
}

impl Browser for WebKit {
    fn open(&mut self, page: &Path, state: &str) {
        let address = format!("file://{}#{state}", page.display());
        // Another state of the same page alone would not load it.
        self.command("/url", &json!({"url": "about:blank"}));
        self.command("/url", &json!({"url": address}));
    }

    fn value_of(&mut self, expression: &str) -> Value {
        let script = json!({"script": format!("return {expression}"), "args": []});
        self.command("/execute/sync", &script)
    }

    fn press(&mut self, keys: &[char]) {
        let actions = keys.iter().flat_map(|key| {
            ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": key.to_string()}))
        });
        let source = json!({"type": "key", "id": "keys", "actions": actions.collect::<Vec<_>>()});
        self.command("/actions", &json!({"actions": [source]}));
    }

    fn messages(&mut self, _: &str) -> Vec<String> {
        let said = fs::read_to_string(self.home.path().join("said")).unwrap();
        let messages = said.lines().filter(|line| line.contains("CONSOLE"));
        messages.map(str::to_owned).collect()
    }
}

impl Drop for WebKit {
    fn drop(&mut self) {
        if !self.session.is_empty() && !std::thread::panicking() {
            self.ask("DELETE", &self.session, &json!({}));
        }
        for process in [&mut self.driver, &mut self.screen] {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}
