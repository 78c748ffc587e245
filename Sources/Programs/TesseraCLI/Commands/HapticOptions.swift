import ArgumentParser
import Tessera
import TesseraCommandLine

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
