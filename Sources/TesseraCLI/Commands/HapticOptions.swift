import ArgumentParser
import Tessera

/// Where a pattern is felt, and whether it must be.
struct HapticOptions: ParsableArguments {
  @Option(help: ArgumentHelp("This device instead of the default.", valueName: "path"))
  var device: String?

  @Flag(help: "Fail (exit status 3) where there is no device, or nothing was felt, instead of going on without.")
  var require = false

  /// Plays to the end: the device is silent as soon as this program has ended.
  func play(_ pattern: HapticPattern) async throws {
    let player = RumblePlayer(device: device.map(DeviceSelection.path) ?? .automatic)
    let report: PlaybackReport
    do {
      report = try await Interruption.cancelling { try await player.play(pattern) }
    } catch let error as HapticError {
      if require { throw error }
      return Note.write(error.failure.description)
    }
    let remarks = report.remarks
    if require, report.started == 0 { throw HapticError.nothingFelt(remarks) }
    for remark in remarks { Note.write(remark) }
  }
}
