import Foundation
import Tessera
import TesseraCommandLine
import TesseraDurableFiles
import TestSupport
import Testing

@Suite("Remedies of errors")
struct CommandRemedyTests {
  /// Errors of libraries for which the command line has words of its own.
  private static let errors: [any Error] =
    [
      PassportError.accessKeyRequired, PassportError.accessKeyUnsuitable, MRZError.wrongCheckDigit(.composite, line: 2),
      CardError.noReader, CardError.readerNotFound(name: "x"), CardError.ambiguousReader(names: ["a", "b"]),
      CardError.noReaderAnywhere, CardError.noCard(seconds: 1), CardError.contactCardOnly(reader: "a", seconds: 1),
      CardError.deviceNotFound(reader: "a"), CardError.deviceInUse(reader: "a"),
      CardError.deviceAccessDenied(reader: "a", node: "/dev/bus/usb/001/002"),
      CardError.deviceUsedByKernel(reader: "a", driver: "pn533_usb"), TokenError.lastTry,
      KeyStoreError.tooMany(limit: 1), KeyStoreError.confirmationRefused("No."),
      KeyStoreError.secretNeeded(.passphrase(key: "k")), KeyStoreError.secretRefused(.newPassphrase(key: "k")),
      KeyStoreError.secretNeeded(.importPassphrase), KeyStoreError.secretNeeded(.pin(token: "t")),
      HapticError.noDevice, HapticError.notADevice(path: "/dev/x"), HapticError.accessDenied(path: "/dev/x"),
      HapticError.cannotRumble(path: "/dev/x"), HapticError.nothingFelt([]), TrustError.notFound("x"),
      TrustError.inFile("f", .issuerUnknown(.certificate, subject: "s", fingerprint: "00")), PictureError.tooComplex,
    ]
    + ((try? KeyName("k", owner: .local)).map {
      [KeyStoreError.notFound($0, store: "file"), .exists($0, store: "file")]
    } ?? [])

  @Test("the command's replaces the library's: an error has one", arguments: errors.indices)
  func one(_ index: Int) throws {
    let error = Self.errors[index]
    let failure = Failure(error)
    let own = try #require(CommandRemedy.text(for: error), "\(failure.cause)")
    #expect(ErrorOutput.message(error) == "\(failure.cause) \(own)")
    #expect(own != failure.remedy && own.hasSuffix(".") && Sentences(own).remedies == 1, "\(own)")
    #expect(ErrorOutput.object(error)["message"]?.stringValue == ErrorOutput.message(error))
  }

  @Test("without one of the command, it is the library's")
  func library() {
    for error in [CardError.cardRemoved, .readerInUse(reader: "a"), .readerFailed(reader: "a")] {
      #expect(ErrorOutput.message(error) == error.failure.description)
    }
  }

  @Test("what cannot be read is described in one way, with the reason")
  func unreadable() throws {
    let folder = try TemporaryFolder()
    let missing = folder.file("none")
    let cause = "\(missing) cannot be read: no such file or directory."
    for failure in [
      Failure.unreadable(missing), .unreadable(missing, isFolder: true), .unreadable(missing, ENOENT),
      DumpError.unreadable(missing).failure,
    ] { #expect(failure.cause == cause && failure.remedy == "Check the path." && failure.kind == .usage) }
    try Data().write(to: folder.url.appendingPathComponent("file"))
    let file = Failure.unreadable(folder.file("file"), isFolder: true)
    #expect(file.cause.hasSuffix(": not a directory.") && file.remedy == "Specify a folder.")
    #expect(Failure.unreadable(folder.url.path, EISDIR).remedy == "Specify a file.")
    #expect(Failure.unreadable("a\u{1B}[31m", EACCES).description.contains("\u{1B}") == false)
  }
}

/// The sentences of a message.
struct Sentences {
  /// How many of them tell the user what to do.
  let remedies: Int

  /// The words with which the remedies of Tessera begin.
  private static let imperatives: Set<Substring> = [
    "Add", "Answer", "Ask", "Change", "Check", "Choose", "Close", "Compare", "Confirm", "Connect", "Convert", "Copy",
    "Correct", "Create", "Delete", "Disconnect", "Download", "Enable", "End", "Enter", "Export", "Get", "Give",
    "Import",
    "Install", "Keep", "List", "Log", "Make", "Mount", "Move", "Name", "Obtain", "Omit", "Open", "Photograph", "Place",
    "Plug", "Provide", "Put", "Read", "Reconnect", "Remove", "Repeat", "Restart", "Restore", "Retry", "Run", "Save",
    "Scan", "Set", "Specify", "Start", "Try", "Unload", "Unlock", "Use", "Wait", "Write",
  ]

  init(_ message: String) {
    let words = message.split(separator: " ")
    // A word begins a sentence after a point, an exclamation mark or the name of the program.
    remedies = zip([Substring("tessera:")] + words, words).count { previous, word in
      previous.hasSuffix(".") || previous == "tessera:" ? Self.imperatives.contains(word) : false
    }
  }
}
