/// Which of the server's data a program uses.
public enum FCKEnvironment: String, Sendable, CaseIterable {
  case sandbox
  case production

  /// `sandbox` in debug builds, else `production`.
  public static var ofBuild: FCKEnvironment {
    #if DEBUG
      .sandbox
    #else
      .production
    #endif
  }
}
