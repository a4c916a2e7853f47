use rustix::process::test_kill_process;
use serde_json::json;

use super::*;

const LONG: Duration = Duration::from_secs(20);

fn shell(script: &str) -> Program {
    Program {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), script.into()],
        directory: "/".into(),
        ..Program::default()
    }
}

async fn started(script: &str) -> Child {
    Child::start(shell(script)).await.unwrap()
}

async fn heard(child: &mut Child) -> Heard {
    timeout(LONG, child.next()).await.unwrap()
}

async fn heard_kind(child: &mut Child) -> String {
    let heard = heard(child).await;
    let Heard::Line(Message::Other { kind, .. }) = heard else { panic!("{heard:?}") };
    kind
}

async fn ended(child: &mut Child) -> ExitReport {
    let heard = heard(child).await;
    let Heard::Ended(report) = heard else { panic!("{heard:?}") };
    report
}

/// Whether a process is there and not only not yet taken notice of.
fn lives(pid: &str) -> bool {
    crate::hook::Process::with(pid.parse().unwrap()).lives()
}

async fn until_gone(pid: &str) {
    let start = Instant::now();
    while lives(pid) {
        assert!(start.elapsed() < LONG, "{pid} is still there");
        sleep(TURN).await;
    }
}

#[tokio::test]
async fn lines_go_out_and_come_back_and_the_end_is_told() {
    let mut child = started("cat; echo gone >&2; exit 3").await;
    for kind in ["one", "two"] {
        child.send(&json!({"type": kind})).unwrap();
        assert_eq!(heard_kind(&mut child).await, kind);
    }
    child.close();
    let report = ExitReport { code: Some(3), signal: None, stderr: "gone\n".into() };
    assert_eq!(ended(&mut child).await, report);
    assert_eq!(ended(&mut child).await, report);
    assert!(matches!(child.send(&json!({})), Err(SendError::Closed)));
}

#[tokio::test]
async fn a_line_that_cannot_be_read_costs_only_itself() {
    let mut child = started(r#"echo; echo hello; printf '{"type":"last"}'"#).await;
    assert!(matches!(heard(&mut child).await, Heard::Unreadable { .. }));
    assert_eq!(heard_kind(&mut child).await, "last");
    assert_eq!(ended(&mut child).await.code, Some(0));
}

#[tokio::test]
async fn each_way_of_not_starting_has_its_own_words() {
    let start = async |program: Program| Child::start(program).await.unwrap_err();
    let missing = Program { program: "/nowhere/claude".into(), ..shell("") };
    assert_eq!(start(missing).await.to_string(), "/nowhere/claude was not found");
    let data = Program { program: "/etc/passwd".into(), ..shell("") };
    assert_eq!(start(data).await.to_string(), "/etc/passwd is not executable");
    let nowhere = Program { directory: "/nowhere".into(), ..shell("") };
    assert_eq!(start(nowhere).await.to_string(), "/nowhere is no directory");
}

#[tokio::test]
async fn hooks_below_know_that_somebody_carries_the_questions() {
    let script = r#"printf '{"type":"%s %s %s"}' "$HANDRAISE_OWNER" "$ADDED" "${PATH-none}""#;
    let program = Program {
        environment: vec![("ADDED".into(), "yes".into())],
        without: vec!["PATH".into()],
        ..shell(script)
    };
    let mut child = Child::start(program).await.unwrap();
    assert!(heard_kind(&mut child).await.starts_with("1 yes "));
}

#[tokio::test]
async fn a_process_that_does_not_read_holds_nobody_up() {
    let child = started("exec sleep 1000").await;
    let line = json!({"type": "x".repeat(1024 * 1024)});
    let refused = (0..100).find_map(|_| child.send(&line).err());
    assert!(matches!(refused, Some(SendError::Full)));
    let report = timeout(LONG, child.end(TURN)).await.unwrap();
    assert_eq!(report.signal, Some(15));
}

#[tokio::test]
async fn one_that_no_longer_reads_is_found_out() {
    let mut child = started(r#"exec <&-; echo '{"type":"deaf"}'; exec sleep 1000"#).await;
    assert_eq!(heard_kind(&mut child).await, "deaf");
    let start = Instant::now();
    while child.send(&json!({})).is_ok() {
        assert!(start.elapsed() < LONG);
        sleep(TURN).await;
    }
}

#[tokio::test]
async fn only_the_end_of_the_error_output_is_kept() {
    let script = "i=0; while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i+1)); done";
    let report = ended(&mut started(script).await).await;
    assert!(report.stderr.len() <= STDERR_KEPT);
    assert!(report.stderr.ends_with("line 2999\n"));
}

#[tokio::test]
async fn whoever_ends_with_its_input_is_not_killed() {
    let child = started("cat >/dev/null; exit 7").await;
    assert_eq!(timeout(LONG, child.end(LONG)).await.unwrap().code, Some(7));
}

#[tokio::test]
async fn whoever_will_not_end_is_killed_with_all_it_started() {
    let script = r#"trap '' TERM; (trap '' TERM; sleep 1000) & printf '{"type":"%s"}\n' $!; wait; sleep 1000"#;
    let mut child = started(script).await;
    let (below, pid) = (heard_kind(&mut child).await, child.id().to_string());
    let report = timeout(LONG, child.end(Duration::from_millis(50))).await.unwrap();
    assert_eq!((report.code, report.signal), (None, Some(9)));
    until_gone(&below).await;
    // Not even a trace of it is left.
    let pid = Pid::from_raw(pid.parse().unwrap()).unwrap();
    assert_eq!(test_kill_process(pid), Err(rustix::io::Errno::SRCH));
}

#[tokio::test]
async fn what_outlives_the_process_is_ended_and_its_pipes_are_not_waited_for() {
    let script = r#"sleep 1000 & printf '{"type":"%s"}\n' $!"#;
    let mut child = started(script).await;
    let below = heard_kind(&mut child).await;
    assert_eq!(ended(&mut child).await.code, Some(0));
    until_gone(&below).await;
}

/// As Claude Code does with each shell command.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn killing_it_ends_also_what_has_a_session_of_its_own() {
    let script = r#"trap '' TERM; setsid sh -c 'echo "{\"type\":\"$$\"}"; sleep 1000; true' & wait; sleep 1000"#;
    for dropped in [false, true] {
        let mut child = started(script).await;
        let below = heard_kind(&mut child).await;
        if dropped {
            drop(child);
        } else {
            let report = timeout(LONG, child.end(Duration::from_millis(50))).await.unwrap();
            assert_eq!(report.signal, Some(9));
        }
        until_gone(&below).await;
    }
}

#[tokio::test]
async fn dropping_it_ends_all_of_it() {
    let script = r#"sleep 1000 & printf '{"type":"%s"}\n' $!; wait"#;
    let mut child = started(script).await;
    let below = heard_kind(&mut child).await;
    let pid = child.id().to_string();
    drop(child);
    until_gone(&below).await;
    until_gone(&pid).await;
}

#[tokio::test]
async fn nothing_is_lost_when_the_wait_is_given_up() {
    let mut child = started(r#"sleep 0.2; echo '{"type":"late"}'; sleep 0.2; exit 4"#).await;
    let mut kinds = vec![];
    loop {
        match timeout(Duration::from_millis(1), child.next()).await {
            Err(_) => {}
            Ok(Heard::Line(Message::Other { kind, .. })) => kinds.push(kind),
            Ok(Heard::Ended(report)) => {
                assert_eq!(report.code, Some(4));
                break;
            }
            Ok(other) => panic!("{other:?}"),
        }
    }
    assert_eq!(kinds, ["late"]);
}
