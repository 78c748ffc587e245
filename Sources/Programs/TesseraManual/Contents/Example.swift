/// One example of a manual page. The tests run those that need nothing.
struct Example: Sendable {
  /// How the command ends.
  enum End: Sendable {
    case byItself
    /// It runs until SIGTERM.
    case bySignal
  }

  /// The words of the command's page: `tessera key sign`.
  let command: String
  /// What the example does, with a colon at its end.
  let sentence: String
  /// The lines that the user types into a shell.
  let line: String
  /// What a machine must have for it, as an object of “needs”; nil if it runs everywhere.
  var needs: String?
  var status: Int32 = 0
  /// A status that is right, too, since machines differ. The sentence says so.
  var otherStatus: Int32?
  /// A regular expression that the output and the messages must match together.
  var output = ""
  /// Shell lines before it, in the same folder, which the page does not show. `$TESTS` is the folder `Tests`.
  var preparation = ""
  /// The names of files that have content afterwards, which the page does not show.
  var files: [String] = []
  var end = End.byItself

  /// The sentence, and what the reader of the page must know besides.
  var introduction: String {
    var facts: [String] = []
    if let needs { facts.append("This needs \(needs).") }
    if status != 0, !sentence.contains("exit status") { facts.append("The exit status is \(status).") }
    return facts.isEmpty ? sentence : "\(sentence.dropLast()). \(facts.joined(separator: " "))"
  }

  static let all: [Example] = [general, passport, trust, key, web, fleet, passage].flatMap { $0 }
}

extension Example {
  static let general: [Example] = [
    Example(
      command: "tessera", sentence: "Read the built-in specimen passport, without hardware:", line: "tessera demo",
      output: "Genuine"),
    Example(
      command: "tessera",
      sentence: "Look for what is missing on this machine. The exit status is 3 if there is a problem:",
      line: "tessera doctor", otherStatus: 3),
    Example(
      command: "tessera", sentence: "Print the completions for bash, zsh or fish:",
      line: "tessera --generate-completion-script bash", output: "_tessera"),
    Example(
      command: "tessera", sentence: "Complete command lines in this bash:",
      line: "source <(tessera --generate-completion-script bash)", needs: "bash"),
    Example(
      command: "tessera", sentence: "Print the version:", line: "tessera --version", output: #"tessera \d+\.\d+"#),
    Example(
      command: "tessera demo", sentence: "Read a new specimen, and show the verdict, the portrait and the checks:",
      line: "tessera demo", output: "passive\\.chain"),
    Example(
      command: "tessera demo", sentence: "The same for a program:", line: "tessera demo --json",
      output: #""outcome" *: *"genuine""#),
    Example(
      command: "tessera readers", sentence: "List the readers, and the cards in them:", line: "tessera readers",
      needs: "a reader"),
    Example(
      command: "tessera readers", sentence: "Follow readers and cards until Ctrl-C, one JSON object on each line:",
      line: "tessera readers --watch --json", needs: "the service pcscd"),
    Example(
      command: "tessera doctor", sentence: "Check this machine. The exit status is 3 if there is a problem:",
      line: "tessera doctor", otherStatus: 3),
    Example(
      command: "tessera doctor", sentence: "Print the udev rules for NFC readers:", line: "tessera doctor --rules nfc",
      output: "SUBSYSTEM"),
    Example(
      command: "tessera setup", sentence: "Do what `tessera doctor` proposes, and ask before each step:",
      line: "tessera setup", needs: "a terminal and the rights of an administrator"),
    Example(
      command: "tessera setup", sentence: "The same in a script, without questions and without the optional steps:",
      line: "tessera setup --yes", needs: "the rights of an administrator"),
    Example(
      command: "tessera mrz", sentence: "Read the machine readable zone in a photograph:",
      line: "tessera mrz scan page.jpg", output: "P<UTO", preparation: specimenPage),
    Example(
      command: "tessera mrz scan", sentence: "Read the machine readable zone in a photograph:",
      line: "tessera mrz scan page.jpg", output: "P<UTO", preparation: specimenPage),
    Example(
      command: "tessera mrz scan", sentence: "Scan with the camera, and open the chip with what was read:",
      line: "tessera mrz scan --json | tessera passport read --mrz -", needs: "a camera and a reader"),
    Example(
      command: "tessera seal", sentence: "Verify the signed barcode in a photograph, for a day in the past:",
      line: "tessera seal verify --at 2026-11-28 visa.png", output: "Visible digital seal", preparation: sealPage),
    Example(
      command: "tessera seal scan", sentence: "Verify the seal of the document in front of the camera:",
      line: "tessera seal scan", needs: "a camera"),
    Example(
      command: "tessera seal verify", sentence: "Verify the seal in a photograph, for a day in the past:",
      line: "tessera seal verify --at 2026-11-28 visa.png", output: "Visible digital seal", preparation: sealPage),
    Example(
      command: "tessera seal verify", sentence: "Write the report as a page of HTML, too:",
      line: "tessera seal verify --at 2026-11-28 --report visa.html visa.png", output: "Visible digital seal",
      preparation: sealPage, files: ["visa.html"]),
    Example(
      command: "tessera seal verify", sentence: "The same for a program:",
      line: "tessera seal verify --json --at 2026-11-28 visa.png", output: #""outcome" *: *"notEstablished""#,
      preparation: sealPage),
    Example(
      command: "tessera chip", sentence: "List the documents that the virtual chip can be:",
      line: "tessera chip profiles", output: "bac"),
    Example(
      command: "tessera chip profiles", sentence: "List the profiles for a program:",
      line: "tessera chip profiles --json", output: #""profiles""#),
    Example(
      command: "tessera chip run", sentence: "Put the specimen into the virtual reader of pcscd, until Ctrl-C:",
      line: "tessera chip run", needs: "pcscd with vsmartcard-vpcd"),
    Example(
      command: "tessera chip seal", sentence: "List the kinds of seals that the test country makes:",
      line: "tessera chip seal", output: "etd"),
    Example(
      command: "tessera chip seal", sentence: "Make the seal of an emergency travel document, and verify it:",
      line: """
        tessera chip seal etd --png etd.png
        tessera seal verify --virtual etd.png
        """, output: "Genuine seal", files: ["etd.png"]),
    Example(
      command: "tessera chip seal", sentence: "The same for a reader of your own, with the certificates:",
      line: """
        tessera chip seal etd -o etd.bin --certificates utopia
        tessera seal verify --trust utopia etd.bin
        """, output: "Genuine seal", files: ["etd.bin"]),
    Example(
      command: "tessera chip terminal",
      sentence: "Read the fingerprints and irises of the specimen, after Terminal Authentication:",
      line: """
        tessera chip terminal rights
        tessera passport read --virtual all --terminal rights
        """, output: "Genuine"),
    Example(
      command: "tessera haptic", sentence: "List the devices, then play an effect:",
      line: """
        tessera haptic devices
        tessera haptic notification success
        """, needs: "a gamepad or another force-feedback device"),
    Example(
      command: "tessera haptic devices",
      sentence: "List the devices. Without one, the command prints a note and ends with 0:",
      line: "tessera haptic devices"),
    Example(
      command: "tessera haptic impact", sentence: "Play a heavy impact:", line: "tessera haptic impact heavy",
      needs: "a force-feedback device"),
    Example(
      command: "tessera haptic notification", sentence: "Play the effect of a success:",
      line: "tessera haptic notification success", needs: "a force-feedback device"),
    Example(
      command: "tessera haptic selection", sentence: "Play a selection on one device:",
      line: "tessera haptic selection --device /dev/input/event7", needs: "a force-feedback device"),
    Example(
      command: "tessera haptic play", sentence: "Play one pulse of 200 ms with the strong motor:",
      line: """
        echo '[{"atMs": 0, "durationMs": 200, "strong": 1, "weak": 0}]' |
          tessera haptic play -
        """, needs: "a force-feedback device"),
  ]

  /// A picture of the specimen's data page.
  private static let sealPage =
    "cp \"$TESTS/Passport/BarcodesTests/Fixtures/pictures/00-datamatrix-etd-v4-p256.png\" visa.png"
  private static let specimenPage = "cp \"$TESTS/Passport/MRZRecognitionTests/Fixtures/specimen.jpg\" page.jpg"
}
