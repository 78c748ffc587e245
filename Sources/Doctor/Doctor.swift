/// Looks at everything on this machine that Tessera needs, and says what is wrong and the command that mends it.
///
/// Nothing is changed, no secret is shown, and no right is needed that the user has not. A daemon that is started when
/// somebody calls it (systemd's sockets, the bus's activation) may be started by the look at it.
public enum Doctor {
  /// How long one examination may take; one that takes longer is a finding of its own.
  static let limit = Duration.seconds(5)

  private static let examinations: [any Examination] = [
    PCSCServiceExamination(), ReaderExamination(), RuleExamination(), RumbleExamination(), SecretServiceExamination(),
    TPMExamination(), OwnFolderExamination.keys, OwnFolderExamination.storage, SystemExamination(),
  ]

  /// All findings, at least one an examination, in a fixed order. Takes five seconds at most.
  public static func findings() async -> [Finding] { await findings(of: examinations, limit: limit) }

  /// - Parameter limit: for each; they run at the same time.
  static func findings(of examinations: [any Examination], limit: Duration) async -> [Finding] {
    await withTaskGroup(of: (Int, [Finding]).self) { group in
      for (place, examination) in examinations.enumerated() {
        group.addTask { (place, await answer(within: limit) { await examination.findings() } ?? [examination.silence]) }
      }
      var results = [[Finding]](repeating: [], count: examinations.count)
      for await (place, findings) in group { results[place] = findings }
      return results.flatMap(\.self)
    }
  }
}
