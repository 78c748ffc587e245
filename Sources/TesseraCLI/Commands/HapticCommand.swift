import ArgumentParser
import Tessera

struct HapticCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "haptic", abstract: "Makes a gamepad or another force-feedback device rumble.",
    discussion: """
      Examples:
        tessera haptic devices
        tessera haptic impact heavy
        tessera haptic notification success
        tessera haptic selection --device /dev/input/event7
        echo '[{"atMs": 0, "durationMs": 200, "strong": 1, "weak": 0}]' | tessera haptic play -
      """,
    subcommands: [Devices.self, Impact.self, Notification.self, Selection.self, Play.self])

  struct Impact: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Something touched something.", discussion: "Example: tessera haptic impact heavy")

    @Argument(help: "How hard.") var style: HapticWord.Impact
    @OptionGroup var options: HapticOptions

    func run() async throws { try await options.play(HapticWord.impact(style).pattern) }
  }

  struct Notification: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Something ended.", discussion: "Example: tessera haptic notification success")

    @Argument(help: "How it ended.") var type: HapticWord.Notification
    @OptionGroup var options: HapticOptions

    func run() async throws { try await options.play(HapticWord.notification(type).pattern) }
  }

  struct Selection: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "A choice moved on by one.", discussion: "Example: tessera haptic selection")

    @OptionGroup var options: HapticOptions

    func run() async throws { try await options.play(HapticWord.selection.pattern) }
  }

  struct Play: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Plays a pattern of your own.",
      discussion: """
        The file is a JSON list of pulses. Times are in milliseconds, "strong" and "weak" say
        how hard the two motors turn; "attackMs" lets a pulse swell:

          [{"atMs": 0, "durationMs": 80, "strong": 1, "weak": 0},
           {"atMs": 150, "durationMs": 200, "strong": 0.3, "weak": 0.3, "attackMs": 90}]

        Example: tessera haptic play pattern.json
        """)

    @Argument(help: ArgumentHelp("The pattern; - for standard input.", valueName: "file")) var file: String
    @OptionGroup var options: HapticOptions

    func run() async throws {
      let json = try InputFile(path: file).read(upTo: HapticPattern.largestFile)
      try await options.play(HapticPattern(json: json))
    }
  }
}

extension HapticWord.Impact: ExpressibleByArgument {}
extension HapticWord.Notification: ExpressibleByArgument {}
