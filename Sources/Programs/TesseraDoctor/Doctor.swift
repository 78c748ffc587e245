import TesseraThreads

/// Checks everything on this system that Tessera needs, and reports each problem with a command that corrects it.
///
/// The checks change nothing, show no secret and run with the rights of the user. They may start a daemon that systemd
/// or D-Bus activates on demand.
public enum Doctor {
  /// The time limit of one check. A check that exceeds it becomes a finding.
  static let limit = Duration.seconds(5)

  private static let checks: [any DiagnosticCheck] = [
    PCSCServiceCheck(), ReaderCheck(), UdevRuleCheck(), RumbleDeviceCheck(), CameraCheck(), FingerprintCheck(),
    SecretServiceCheck(),
    TPMCheck(), OwnFolderCheck.keys, OwnFolderCheck.storage, OwnFolderCheck.trust, ClockCheck(), SystemCheck(),
  ]

  /// Runs all checks at the same time, for five seconds at most.
  ///
  /// - Returns: at least one finding per check, in a fixed order.
  public static func findings() async -> [Finding] { await findings(of: checks, limit: limit) }

  /// Runs the checks of a fleet instead: of the program for fleets, and of each server by what it says of itself. Needs
  /// no login.
  ///
  /// - Parameter servers: the addresses of the servers, `nats://host:port` or `tls://host:port`.
  public static func findings(fleet servers: [String]) async -> [Finding] {
    await findings(of: [FleetProgramCheck()] + servers.map { FleetServerCheck($0) }, limit: limit)
  }

  /// A first look at the devices of this machine, with a time limit for each check.
  package static func overview(within limit: Duration) async -> [Finding] {
    let checks: [any DiagnosticCheck] = [
      PCSCServiceCheck(), ReaderCheck(listLimit: limit / 2), RumbleDeviceCheck(), CameraCheck(), FingerprintCheck(),
      SecretServiceCheck(), TPMCheck(),
    ]
    return await findings(of: checks, limit: limit) { unanswered($0, within: limit) }
  }

  /// Says only that there was no answer, and from which part: that is no reason to change anything yet.
  static func unanswered(_ check: any DiagnosticCheck, within limit: Duration) -> Finding {
    Finding(
      check is ReaderCheck ? "reader.silent" : check.timeoutFinding.id, .information, title: check.title,
      cause: "There was no answer within \(limit).")
  }

  /// - Parameters:
  ///   - limit: the time limit of each check.
  ///   - late: the finding of a check that exceeds it.
  static func findings(
    of checks: [any DiagnosticCheck], limit: Duration,
    late: @escaping @Sendable (any DiagnosticCheck) -> Finding = { $0.timeoutFinding }
  ) async -> [Finding] {
    await withTaskGroup(of: (Int, [Finding]).self) { group in
      for (index, check) in checks.enumerated() {
        group.addTask {
          let findings = try? await withTimeLimit(limit) { await check.findings() }
          return (index, findings ?? [late(check)])
        }
      }
      var results = [[Finding]](repeating: [], count: checks.count)
      for await (index, findings) in group { results[index] = findings }
      return results.flatMap(\.self)
    }
  }
}
