internal import TestSupport

/// The desks of one process, which can be killed in the middle of its reads. The program is `FleetLoad desks`.
package struct LoadDesks: Sendable {
  package let layout: LoadLayout
  /// The numbers of the desks.
  package let numbers: Range<Int>
  package let remotePercent: Int
  package let profiles: LoadProfiles

  package init(_ layout: LoadLayout, numbers: Range<Int>, remotePercent: Int, profiles: LoadProfiles) {
    self.layout = layout
    self.numbers = numbers
    self.remotePercent = remotePercent
    self.profiles = profiles
  }

  /// A process that is not started yet. One that starts again goes on with its journal.
  ///
  /// - Parameters:
  ///   - journal: the name of its journal in the folder of the run.
  ///   - reads: the number after which it ends, once it is told to.
  ///   - addresses: others than those of the servers, for example those of proxies.
  ///   - wrap: makes a command of it that runs it elsewhere.
  package func process(
    _ name: String, journal: String, reads: Int, at addresses: [String] = [],
    wrap: (LoadCommand) -> LoadCommand = { $0 }
  ) -> LoadProcess {
    let arguments =
      [
        "desks", layout.folder, journal, "\(numbers.lowerBound)", "\(numbers.count)", "\(reads)", "\(remotePercent)",
        profiles.argument,
      ] + addresses
    return LoadProcess(name, wrap(LoadCommand(ProgramRun.built("FleetLoad").path, arguments))) {
      $0.output.contains("ready")
    }
  }
}
