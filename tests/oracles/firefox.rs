//! The page for a browser in Firefox, which is driven through Marionette, its own protocol: no
//! other program is needed.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::common::formats::array;
use crate::oracles::driven::{Browser, check_page};
use crate::oracles::trial;

pub fn trials() -> Vec<Trial> {
    vec![trial(&["firefox-esr"], "a page in Firefox", || check_page(&mut Firefox::start()))]
}

/// A running Firefox without a window.
struct Firefox {
    process: Child,
    /// Its profile, which is removed with it.
    _home: tempfile::TempDir,
    stream: BufReader<TcpStream>,
    commands: u32,
}

impl Firefox {
    fn start() -> Firefox {
        let home = tempfile::tempdir().unwrap();
        // Firefox chooses a port, and writes it into a file.
        fs::write(home.path().join("user.js"), "user_pref(\"marionette.port\", 0);\n").unwrap();
        let process = Command::new("firefox-esr")
            .args(["--headless", "--no-remote", "--marionette", "--remote-allow-system-access"])
            .arg("--profile")
            .arg(home.path())
            .env("HOME", home.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let address = format!("127.0.0.1:{}", port(home.path()));
        let stream = BufReader::new(TcpStream::connect(address).unwrap());
        let mut firefox = Firefox { process, _home: home, stream, commands: 0 };
        firefox.read();
        firefox.command("WebDriver:NewSession", &json!({"capabilities": {"alwaysMatch": {}}}));
        let size = json!({"width": 1400, "height": 900});
        firefox.command("WebDriver:SetWindowRect", &size);
        firefox
    }

    /// A message: its length in decimal digits, a colon, and JSON.
    fn read(&mut self) -> Value {
        let mut length = Vec::new();
        self.stream.read_until(b':', &mut length).unwrap();
        let length: usize =
            String::from_utf8(length).unwrap().trim_end_matches(':').parse().unwrap();
        let mut text = vec![0; length];
        self.stream.read_exact(&mut text).unwrap();
        serde_json::from_slice(&text).unwrap()
    }

    fn command(&mut self, name: &str, arguments: &Value) -> Value {
        self.commands += 1;
        let text = json!([0, self.commands, name, arguments]).to_string();
        write!(self.stream.get_mut(), "{}:{text}", text.len()).unwrap();
        let answer = self.read();
        assert_eq!(answer[2], Value::Null, "{name} {arguments}");
        answer[3].clone()
    }
}

impl Browser for Firefox {
    fn open(&mut self, page: &Path, state: &str) {
        let address = format!("file://{}#{state}", page.display());
        // Another state of the same page alone would not load it.
        self.command("WebDriver:Navigate", &json!({"url": "about:blank"}));
        self.command("WebDriver:Navigate", &json!({"url": address}));
    }

    fn value_of(&mut self, script: &str) -> Value {
        let script = json!({"script": format!("return {script}"), "args": []});
        self.command("WebDriver:ExecuteScript", &script)["value"].clone()
    }

    fn press(&mut self, keys: &[char]) {
        let actions = keys.iter().flat_map(|key| {
            ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": key.to_string()}))
        });
        let source = json!({"type": "key", "id": "keys", "actions": actions.collect::<Vec<_>>()});
        self.command("WebDriver:PerformActions", &json!({"actions": [source]}));
    }

    fn messages(&mut self, file: &str) -> Vec<String> {
        self.command("Marionette:SetContext", &json!({"value": "chrome"}));
        let all =
            self.value_of("Services.console.getMessageArray().map(one => String(one.message))");
        self.command("Marionette:SetContext", &json!({"value": "content"}));
        let all = array(&all).iter().map(|message| message.as_str().unwrap().to_owned());
        all.filter(|message| message.contains(file)).collect()
    }
}

impl Drop for Firefox {
    fn drop(&mut self) {
        let quit =
            json!([0, self.commands + 1, "Marionette:Quit", {"flags": ["eForceQuit"]}]).to_string();
        let _ = write!(self.stream.get_mut(), "{}:{quit}", quit.len());
        let end = Instant::now() + Duration::from_secs(10);
        while Instant::now() < end && matches!(self.process.try_wait(), Ok(None)) {
            sleep(Duration::from_millis(50));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The port that Firefox has chosen.
fn port(profile: &Path) -> u16 {
    let end = Instant::now() + Duration::from_secs(120);
    loop {
        let text = fs::read_to_string(profile.join("MarionetteActivePort")).unwrap_or_default();
        if let Ok(port) = text.trim().parse() {
            return port;
        }
        assert!(Instant::now() < end, "Firefox has not started");
        sleep(Duration::from_millis(50));
    }
}
