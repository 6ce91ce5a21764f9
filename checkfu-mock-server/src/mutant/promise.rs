//! The promises, each with its name, its sentence and its requirement.

macro_rules! mutants {
    ($($(#[doc = $promise:literal])+ $variant:ident = $name:literal, $requirement:literal;)*) => {
        /// A promise that the server can be made to break.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Mutant {
            $($(#[doc = $promise])+ $variant,)*
        }

        impl Mutant {
            /// Every mutant.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its name, such as `any_key`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it does, in a sentence.
            pub fn description(self) -> &'static str {
                match self { $(Self::$variant => concat!($($promise),+).trim_ascii(),)* }
            }

            /// The requirement that it breaks.
            pub fn requirement(self) -> &'static str {
                match self { $(Self::$variant => $requirement,)* }
            }

            /// The mutant of this name.
            pub fn parse(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|mutant| mutant.name() == name)
            }
        }
    };
}

mutants! {
    /// Every key opens the server.
    AnyKey = "any_key", "WIRE-2";
    /// Every `Checkfu-Version` is accepted.
    AnyVersion = "any_version", "A-VER";
    /// The version is checked before the key.
    VersionFirst = "version_first", "A-ORDER";
    /// Every `Checkfu-Workspace` is taken for the key's own.
    AnyWorkspace = "any_workspace", "A-VER";
    /// Identifiers of another Workspace are refused with 403 instead of 404.
    ForbiddenWorkspace = "forbidden_workspace", "A-VER";
    /// Answers have no `request-id`.
    NoRequestId = "no_request_id", "A-ERR";
    /// The `request_id` in an error is not the one in the header.
    OtherRequestId = "other_request_id", "A-ERR";
    /// Errors are plain text.
    PlainTextErrors = "plain_text_errors", "A-ERR";
    /// A body of any media type is read as JSON.
    AnyMediaType = "any_media_type", "A-ERR";
    /// An accepted event is answered with 200.
    PostIsOk = "post_is_ok", "A-POST";
    /// Idempotency keys are ignored.
    NoIdempotency = "no_idempotency", "A-IDEM";
    /// A list ignores `after`.
    ListIgnoresAfter = "list_ignores_after", "LST-2";
    /// A list begins with the event of the cursor.
    ListIsInclusive = "list_is_inclusive", "LST-2";
    /// A page's `next_page` leads back to that page.
    PageLoops = "page_loops", "LST-2";
    /// The last event of a page comes twice.
    PageDuplicates = "page_duplicates", "LST-1";
    /// A stream is `text/plain`.
    StreamIsText = "stream_is_text", "A-SRV";
    /// A stream may be stored.
    StreamIsStored = "stream_is_stored", "A-SRV";
    /// A stream has no comments: none at its start, none to keep it alive.
    NoComments = "no_comments", "A-SRV";
    /// A stream resumes with the event of the cursor.
    ResumeIsInclusive = "resume_is_inclusive", "STR-2";
    /// A stream starts over, whatever the cursor.
    ResumeStartsOver = "resume_starts_over", "STR-2";
    /// A stream without a cursor leaves out its second event.
    ReplayLosesEvent = "replay_loses_event", "STR-1";
    /// A stream that resumes leaves out its first event.
    ResumeLosesEvent = "resume_loses_event", "STR-2";
    /// Frames have no `id`.
    FrameWithoutId = "frame_without_id", "STR-3";
    /// Frames have no `event`.
    FrameWithoutType = "frame_without_type", "STR-3";
    /// The `event` of a frame is not the event's type.
    FrameOfOtherType = "frame_of_other_type", "STR-3";
    /// The `id` of a frame is not the event's `seq`.
    FrameOfOtherSeq = "frame_of_other_seq", "STR-3";
    /// Every second event of a stream comes after the one that follows it, once more.
    StreamGoesBack = "stream_goes_back", "STR-4";
    /// The envelopes of a stream are not those of the list.
    StreamDiffersFromList = "stream_differs_from_list", "LST-3";
    /// A page of a list has at most ten events, whatever its `limit`.
    SmallPages = "small_pages", "LST-1";
    /// An idempotency key gives its first answer to every body.
    KeyIgnoresBody = "key_ignores_body", "A-IDEM";
    /// What a capability that is off would refuse is tried.
    NoFence = "no_fence", "WIRE-5";
    /// A list after a trimmed event goes on with what is left.
    ListSkipsTrimmed = "list_skips_trimmed", "A-GAP";
    /// A stream with a cursor beyond the head waits at the head.
    AheadIsHead = "ahead_is_head", "A-GAP";
    /// A stream that has caught up leaves out the first event of every commit.
    SeamLosesEvent = "seam_loses_event", "A-SRV";
    /// Every stream has previews.
    PreviewsUnasked = "previews_unasked", "PRV-1";
    /// Previews have an `id` line.
    PreviewHasId = "preview_has_id", "PRV-2";
    /// A message has another `id` than its previews.
    PreviewOfOtherId = "preview_of_other_id", "PRV-3";
    /// A Session's `last_seq` is one too low.
    LastSeqLags = "last_seq_lags", "A-HEAD";
    /// A Session has a `stop_reason` while it has never been idle or a Run is active.
    StopReasonStays = "stop_reason_stays", "A-HEAD";
    /// Events of different Sessions have the same `id`.
    EventIdsRepeat = "event_ids_repeat", "STR-4";
    /// A triggering event has no `run_id`.
    TriggerWithoutRun = "trigger_without_run", "A-ENV";
    /// There is no `run.created`.
    NoRunCreated = "no_run_created", "A-TURN";
    /// There is no `run.completed`.
    NoRunCompleted = "no_run_completed", "RUN-3";
    /// A Session is idle before its Run has completed.
    IdleBeforeRunCompleted = "idle_before_run_completed", "A-TURN";
    /// `session.usage` has what the last Run used alone.
    UsageNotSummed = "usage_not_summed", "A-TURN";
    /// The boundary of a wait says `end_turn`.
    BoundaryIsEndTurn = "boundary_is_end_turn", "WAIT-4";
    /// `session.status_waiting` comes without the idle before it.
    WaitingWithoutIdle = "waiting_without_idle", "A-WAIT";
    /// There is no `run.waiting`.
    NoRunWaiting = "no_run_waiting", "A-PARK";
    /// After an answer to one of several calls the boundary is not written again.
    BoundaryNotRewritten = "boundary_not_rewritten", "A-PARK";
    /// A Question is announced as `session.status_waiting`.
    QuestionDoesNotPause = "question_does_not_pause", "WAIT-2";
    /// After a wait the Run resumes under another id.
    ResumesAsOtherRun = "resumes_as_other_run", "WAIT-3";
    /// Continuations are not counted.
    ContinuationStays = "continuation_stays", "A-CONT";
    /// Every attempt is the first.
    AttemptStays = "attempt_stays", "A-CONT";
    /// An answer that is sent again gets 409.
    ReplayIsConflict = "replay_is_conflict", "THR-9";
    /// An answer for another generation of the wait is accepted.
    AnyGeneration = "any_generation", "A-GEN";
    /// Everybody may decide an ActionApproval.
    AnyoneApproves = "anyone_approves", "WAIT-5";
    /// An interrupt cancels the Session.
    InterruptIsTerminal = "interrupt_is_terminal", "SES-10";
    /// An interrupt does not say that the Run was canceled.
    InterruptKeepsRun = "interrupt_keeps_run", "A-INT";
    /// Completing a Session does not say that its Runs were canceled.
    CompleteKeepsRuns = "complete_keeps_runs", "A-END";
    /// Events follow the terminal status.
    EndIsNotLast = "end_is_not_last", "A-END";
    /// Nothing is suspicious in a message.
    AnyPrompt = "any_prompt", "PIN-1";
    /// Every challenge is good.
    AnyChallenge = "any_challenge", "A-PIN";
    /// A Session's list has what is local to its children.
    SessionShowsChildren = "session_shows_children", "A-VIEW";
    /// A Session's list has nothing of its children.
    SessionHidesChildren = "session_hides_children", "THR-7";
    /// An archived thread cannot be archived again.
    ArchiveOnlyOnce = "archive_only_once", "THR-4";
    /// A fork has no `session.forked`.
    ForkUnmarked = "fork_unmarked", "FRK-2";
    /// A page of a list is as long as its `limit` says.
    NoPageCap = "no_page_cap", "LST-1";
    /// An interrupt is obeyed and not appended.
    InterruptUnlogged = "interrupt_unlogged", "A-INT";
    /// Lists and streams show what people wrote without its `caused_by`.
    CauseUnlogged = "cause_unlogged", "SES-4";
    /// What people write needs no `caused_by`.
    CauseOptional = "cause_optional", "A-AUTHOR";
    /// A Session's `status` is the one before its latest.
    StatusLags = "status_lags", "SES-5";
    /// `run.waiting` names a wait of another kind.
    WaitOfOtherKind = "wait_of_other_kind", "A-PARK";
    /// An answer that several children may wait for goes to one of them.
    ThreadGuessed = "thread_guessed", "THR-8";
    /// An interrupt leaves open what children wait for.
    InterruptSparesChildren = "interrupt_spares_children", "A-INT";
    /// ActionApprovals never expire.
    ApprovalStays = "approval_stays", "A-GEN";
    /// Of the messages that are queued the latest one starts first.
    LatestFirst = "latest_first", "A-OVERLAP";
    /// A message that comes while a Run is active is accepted and gets no Run.
    BusyDropsMessage = "busy_drops_message", "A-OVERLAP";
    /// A Session that has ended accepts messages.
    EndTakesMessages = "end_takes_messages", "SES-8";
    /// A thread is found in every Session.
    AnySessionsThread = "any_sessions_thread", "THR-3";
    /// A child that waits for an action can be archived.
    ArchivesWaiting = "archives_waiting", "THR-4";
    /// The primary thread can be archived.
    ArchivesPrimary = "archives_primary", "THR-4";
    /// A fork has the event after the one that it was made at, too.
    ForkCopiesMore = "fork_copies_more", "FRK-1";
    /// A fork lacks the event that it was made at.
    ForkLosesLast = "fork_loses_last", "FRK-1";
    /// A diff begins where the later one of both Sessions left what they share.
    DiffGuessesBase = "diff_guesses_base", "DIF-1";
    /// A message is stored as it was sent, whatever its author decided.
    CorrectionUnused = "correction_unused", "PIN-1";
    /// Runs follow the latest revision of their Session's deployment.
    RevisionFollows = "revision_follows", "SES-12";
}
