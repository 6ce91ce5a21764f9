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
}
