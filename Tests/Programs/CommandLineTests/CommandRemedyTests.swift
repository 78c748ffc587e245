import Foundation
import Glibc
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

  @Test("what cannot be written is described in one way, with the reason")
  func unwritable() throws {
    let folder = try TemporaryFolder()
    try Data().write(to: folder.url.appendingPathComponent("file"))
    #expect(symlink("file", folder.file("link")) == 0)
    for (path, code, isFolder, rest) in [
      (folder.url.path, nil, false, "it is a folder. Specify a file."),
      (folder.file("none/x"), nil, false, "its folder does not exist. Create the folder, or specify another path."),
      (folder.file("file/x"), nil, false, "a part of its path is not a folder. Check the path."),
      (folder.file("file"), nil, true, "it is a file. Specify a folder."),
      (
        folder.file("link"), ELOOP, false,
        "it is a link, and links are not followed. "
          + "Specify the file that the link points to."
      ),
      ("x", EACCES, false, "permission denied. Check its permissions and those of its folder."),
      ("x", EROFS, false, "read-only file system. Specify a path elsewhere."),
      ("x", ENOSPC, true, "no space left on device. Free some space, or specify a path elsewhere."),
    ] as [(String, Int32?, Bool, String)] {
      let failure = Failure.unwritable(path, code, isFolder: isFolder)
      #expect(failure.description == "\(path) cannot be written: \(rest)" && failure.kind == .usage)
      #expect(Sentences(failure.description).remedies == 1, "\(failure)")
    }
    let file = DumpError.notWritten(folder.file("file"), code: ENOTDIR).failure
    #expect(file.remedy == "Specify a folder, or a file whose name ends in .tessera.", "\(file)")
    #expect(Failure.unwritable("a\u{1B}[31m", EACCES).description.contains("\u{1B}") == false)
  }

  @Test("a wrong command line for scripts names the help of the command")
  func help() {
    let message =
      "Error: x\nUsage: tessera passport read <options>\n  See 'tessera passport read --help' for more information."
    #expect(CommandProgram.remedy(message) == "Run `tessera passport read --help` for what it takes.")
    #expect(
      CommandProgram.remedy("Error: x\n  See 'tessera --help' for more information.")
        == "Run `tessera --help` to list the commands.")
    #expect(CommandProgram.remedy("Error: x") == "Run `tessera --help` to list the commands.")
    // A message that says what to do needs no other remedy.
    for message in [
      "--portrait - and --json both use standard output: name a file after --portrait.",
      "--portrait requires data group 2; add it to --groups.", "Specify --virtual or --trust, not both.",
      "Missing expected argument '<json>'. The word behind --virtual was taken for its profile; put --virtual last.",
    ] { #expect(CommandProgram.hasRemedy(message) && Sentences(message).remedies == 1, "\(message)") }
    for message in [
      "--report requires a file: standard output has the report as text.", "Missing expected argument '<name>'.",
      "Unexpected argument 'x'. Did you mean 'y'?", "",
    ] { #expect(!CommandProgram.hasRemedy(message) && Sentences(message).remedies == 0, "\(message)") }
  }

  @Test("the virtual reader: its installation only if it is missing")
  func virtualReader() {
    let text = ErrorOutput.message(VPCDError.unreachable(host: "127.0.0.1", port: 1))
    #expect(text.contains("vsmartcard-vpcd") != PCSCServiceCheck.hasVirtualReader, "\(text)")
    if let start = PCSCServiceCheck.remedyOfMissingService, PCSCServiceCheck.hasVirtualReader {
      #expect(text.hasSuffix(start), "\(text)")
    }
  }

  @Test("the service of the readers: the command of this machine, which the doctor names")
  func service() {
    for error in [CardError.noReaderAnywhere, .serviceUnavailable] {
      let text = CommandRemedy.text(for: error) ?? ""
      #expect(text.hasPrefix(PCSCServiceCheck.remedyOfMissingService ?? "Run `tessera doctor`"), "\(text)")
    }
    let hasSystemd = FileManager.default.fileExists(atPath: "/run/systemd/system")
    #expect(PCSCServiceCheck.restartLine().contains("systemctl") == hasSystemd)
  }
}

/// The sentences of a message.
struct Sentences {
  /// How many of them tell the user what to do.
  let remedies: Int

  /// The words with which the remedies of Tessera begin.
  private static let imperatives: Set<Substring> = [
    "Add", "Answer", "Ask", "Change", "Check", "Choose", "Close", "Compare", "Confirm", "Connect", "Convert", "Copy",
    "Correct", "Create", "Delete", "Disconnect", "Download", "Enable", "End", "Enter", "Export", "Free", "Get", "Give",
    "Import", "Install", "Keep", "List", "Log", "Make", "Mount", "Move", "Name", "Obtain", "Omit", "Open", "Photograph",
    "Place", "Plug", "Provide", "Put", "Read", "Reconnect", "Remove", "Repeat", "Restart", "Restore", "Retry", "Run",
    "Save", "Scan", "Set", "Specify", "Start", "Try", "Unload", "Unlock", "Use", "Wait", "Write",
  ]

  init(_ message: String) {
    let words = message.split(separator: " ")
    // A word begins a sentence after a point or the name of the program, and a clause after a semicolon or a colon.
    remedies = zip([Substring("tessera:")] + words, words).count { previous, word in
      if previous.hasSuffix(".") || previous == "tessera:" { return Self.imperatives.contains(word) }
      guard previous.hasSuffix(";") || previous.hasSuffix(":") else { return false }
      return Self.imperatives.contains(Substring(word.prefix(1).uppercased() + word.dropFirst()))
    }
  }
}
