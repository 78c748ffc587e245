import Foundation

/// Other programs, without the signals that this program's threads block.
enum ChildProcess {
  /// Runs a program to its end.
  ///
  /// - Parameter showsErrors: Whether its messages appear on this program's standard error.
  static func run(
    _ program: String, _ arguments: [String], showsErrors: Bool = false
  ) throws -> (output: String, status: Int32) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    if !showsErrors { process.standardError = FileHandle.nullDevice }
    // A child inherits the signal mask. Swift's threads block SIGALRM, which ends `openssl speed`, and others that end
    // the services of `Tests/Programs/Benchmarks/program`.
    var (none, old) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &old)
    let started = Result { try process.run() }
    pthread_sigmask(SIG_SETMASK, &old, nil)
    try started.get()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (String(decoding: data, as: UTF8.self), process.terminationStatus)
  }
}
