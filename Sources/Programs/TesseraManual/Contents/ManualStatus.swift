/// The exit statuses of all programs. `FailureKind.exitStatus` is what the programs use; a test compares both.
struct ManualStatus: Sendable {
  let number: Int
  let text: String

  static let all: [ManualStatus] = [
    ManualStatus(
      number: 0,
      text: """
        Success. Of a read: no check failed, which alone does not mean that the document is genuine. Commands that run \
        until they are stopped (serve, inspect, chip run, readers --watch) end with 0.
        """),
    ManualStatus(number: 1, text: "An internal error: a defect. Please report it."),
    ManualStatus(number: 2, text: "Wrong use: an invalid option, a malformed machine readable zone or file."),
    ManualStatus(
      number: 3, text: "No reader, no device, no document in time, or a service that does not respond."),
    ManualStatus(number: 4, text: "The chip refused the key."),
    ManualStatus(number: 5, text: "A check failed: of a document, a signature, a list or a file."),
    ManualStatus(number: 6, text: "The card was removed, or the chip violated the protocol."),
    ManualStatus(
      number: 7, text: "A store failed: no such key, the key exists, a wrong passphrase or PIN, or a missing store."),
    ManualStatus(number: 8, text: "The person closed the window or ended the scan by the camera."),
    ManualStatus(number: 69, text: "A C library is missing; the message names its package."),
    ManualStatus(number: 130, text: "Ctrl-C interrupted another command. After another signal: 128 plus its number."),
  ]
}
