//! Black-box conformance suite for Checkfu servers: verdicts from witnesses, judged by the published contract.
