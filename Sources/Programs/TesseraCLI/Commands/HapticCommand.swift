import ArgumentParser
import Tessera
import TesseraCommandLine

struct HapticCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "haptic", abstract: "Plays haptic effects on a gamepad or another force-feedback device.",
    discussion: """
      Examples:
        tessera haptic devices
        tessera haptic impact heavy
        tessera haptic notification success
        tessera haptic selection --device /dev/input/event7
        tessera haptic play pattern.json
      """,
    subcommands: [Devices.self, Impact.self, Notification.self, Selection.self, Play.self])

  struct Impact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "impact",
      abstract: "Plays the effect of an impact.",
      discussion: """
        Without a device, the command prints a note and ends with 0, unless --require is used.

        Example:
          tessera haptic impact heavy
        """)

    @Argument(help: "The style: light, medium, heavy, rigid or soft.") var style: HapticWord.Impact
    @OptionGroup var options: HapticOptions

    func run() async throws { try await options.play(HapticWord.impact(style).pattern) }
  }

  struct Notification: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "notification",
      abstract: "Plays the effect of a notification.",
      discussion: """
        Without a device, the command prints a note and ends with 0, unless --require is used.

        Example:
          tessera haptic notification success
        """)

    @Argument(help: "The type: success, warning or error.") var type: HapticWord.Notification
    @OptionGroup var options: HapticOptions

    func run() async throws { try await options.play(HapticWord.notification(type).pattern) }
  }

  struct Selection: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "selection",
      abstract: "Plays the effect of a selection change.",
      discussion: """
        Without a device, the command prints a note and ends with 0, unless --require is used.

        Example:
          tessera haptic selection
        """)

    @OptionGroup var options: HapticOptions

    func run() async throws { try await options.play(HapticWord.selection.pattern) }
  }

  struct Play: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "play",
      abstract: "Plays a pattern from a file.",
      discussion: """
        The file is a JSON list of pulses. Times are in milliseconds. "strong" and "weak" are the strengths of the two \
        motors, from 0 to 1. "attackMs" is the time until a pulse reaches its strength:

          [{"atMs": 0, "durationMs": 80, "strong": 1, "weak": 0},
           {"atMs": 150, "durationMs": 200, "strong": 0.3, "weak": 0.3, "attackMs": 90}]

        Example:
          tessera haptic play pattern.json
        """)

    @Argument(help: ArgumentHelp("The pattern; - for standard input.", valueName: "file"), completion: .file())
    var file: String
    @OptionGroup var options: HapticOptions

    func run() async throws {
      let json = try InputFile(path: file).read(upTo: HapticPattern.largestFile)
      try await options.play(HapticPattern(json: json))
    }
  }
}

extension HapticWord.Impact: ExpressibleByArgument {}
extension HapticWord.Notification: ExpressibleByArgument {}

/// The device that plays a pattern.
struct HapticOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The device, instead of the default one.", valueName: "path"), completion: .file())
  var device: String?

  @Flag(help: "Fail with exit status 3 if no device plays the effect to its end. Without this flag, a note is printed.")
  var require = false

  /// Plays the whole pattern: the kernel stops it when this process exits.
  func play(_ pattern: HapticPattern) async throws {
    let player = RumblePlayer(device: device.map(DeviceSelection.path) ?? .automatic)
    let report: PlaybackReport
    do {
      report = try await Interruption.cancelling { try await player.play(pattern) }
    } catch let error as HapticError {
      if require { throw error }
      return ErrorOutput.note(error)
    }
    let remarks = report.remarks
    if require {
      if report.started == 0 { throw HapticError.nothingFelt(remarks) }
      if [.unplugged, .unserved].contains(report.outcome) { throw HapticError.interrupted(remarks) }
    }
    for remark in remarks { Note.write(remark) }
  }
}
