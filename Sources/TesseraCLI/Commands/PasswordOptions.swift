import ArgumentParser
import Tessera

/// Whose requests the password of the account may answer, where there is no finger.
struct PasswordOptions: ParsableArguments {
  @Flag(
    help:
      "Where there is no fingerprint reader or no enrolled finger, ask for the account's password: for local programs."
  )
  var allowPassword = false

  @Flag(help: "The same, for web pages too.")
  var allowPasswordForPages = false

  var fallback: PasswordFallback {
    allowPasswordForPages ? .everyone : allowPassword ? .localPrograms : .nobody
  }

  /// The options as arguments.
  var arguments: [String] {
    switch fallback {
    case .nobody: []
    case .localPrograms: ["--allow-password"]
    case .everyone: ["--allow-password-for-pages"]
    }
  }
}
