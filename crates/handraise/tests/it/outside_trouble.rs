//! Stray signals, and a clock that is far off.

use std::path::{Path, PathBuf};
use std::process::Command;

use handraise_broker::Power;
use handraise_testkit::HubProcess;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

const PROGRAM: &str = env!("CARGO_BIN_EXE_handraise");

/// Asks, answers, and reads the answer.
fn works(hub: &HubProcess) {
    let options = json!([{"label": "JWT"}, {"label": "none"}]);
    let question = json!({"question": "Which auth?", "options": options});
    let ask = json!({"asker": {"agent": "test"}, "questions": [question]});
    let asked = hub.plain(Power::Agent, "POST", "/asks", Some(&ask));
    assert_eq!(asked.status, 201, "{:?}", asked.body);
    let path = format!("/asks/{}", asked.body["id"].as_str().unwrap());
    let answer = json!({"answers": [{"selected": ["JWT"]}]});
    let answered = hub.plain(Power::Person, "POST", &format!("{path}/answer"), Some(&answer));
    assert_eq!(answered.status, 200, "{:?}", answered.body);
    let told = hub.plain(Power::Agent, "GET", &format!("{path}/resolution"), None);
    assert_eq!(told.body["answers"][0]["selected"], json!(["JWT"]));
}

#[test]
fn signals_that_are_not_meant_to_end_a_hub_do_not() {
    let mut hub = HubProcess::start(Path::new(PROGRAM));
    let pid = Pid::from_raw(i32::try_from(hub.pid()).unwrap()).unwrap();
    let limits = [Signal::XFSZ, Signal::XCPU, Signal::VTALARM, Signal::PROF];
    for signal in [Signal::USR1, Signal::USR2, Signal::ALARM, Signal::IO].into_iter().chain(limits)
    {
        kill_process(pid, signal).unwrap();
        works(&hub);
    }
    let ended = hub.stop();
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
}

#[test]
fn a_hub_whose_standard_error_is_gone_still_answers_whom_it_refuses() {
    let place = tempfile::tempdir().unwrap();
    // A pipe whose only reader is closed again.
    let pipe = place.path().join("pipe").display().to_string();
    let broken = r#"mkfifo "$0"; exec 3<>"$0" 4>"$0"; exec 3<&-; exec "$@" 2>&4"#;
    let hub = HubProcess::prepare(Path::new(PROGRAM));
    let data = hub.home().directory().to_owned();
    let mut hub = hub.within(&["sh", "-c", broken, &pipe], &data, &data);
    hub.launch();
    hub.greeted();
    for (path, status) in [("/devices", 403), ("/devices", 403), ("/nothing", 404)] {
        assert_eq!(hub.plain(Power::Agent, "GET", path, None).status, status, "{path}");
    }
    works(&hub);
    assert_eq!(hub.stop().status.code(), Some(0));
}

/// A library that sets the clock of a process back by more than a century.
#[cfg(target_os = "linux")]
fn clock_of_long_ago(directory: &Path) -> PathBuf {
    const SOURCE: &str = "
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>
        int clock_gettime(clockid_t id, struct timespec *time) {
            long failed = syscall(SYS_clock_gettime, id, time);
            if (!failed && id == CLOCK_REALTIME) time->tv_sec -= 4000000000L;
            return (int)failed;
        }";
    let (source, library) = (directory.join("clock.c"), directory.join("clock.so"));
    std::fs::write(&source, SOURCE).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source);
    assert!(compiler.status().unwrap().success());
    library
}

#[cfg(target_os = "linux")]
#[test]
fn a_hub_whose_clock_is_before_1970_says_so() {
    let mut hub = HubProcess::prepare(Path::new(PROGRAM));
    let library = clock_of_long_ago(hub.directory());
    hub.set_variable("LD_PRELOAD", library.to_str().unwrap());
    hub.restart();
    for power in [Power::Agent, Power::Person] {
        let refused = hub.plain(power, "GET", "/asks", None);
        assert_eq!((refused.status, &refused.body["code"]), (503, &json!("wrong_clock")));
    }
    let ended = hub.stop();
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert!(!hub.said().contains("panicked"), "{}", hub.said());
}
