import Glibc
internal import Tessera
package import TesseraGrants
internal import TesseraThreads

/// The window's dialog about the permission of a page, which `tessera-window` shows for a program without windows.
package enum PermissionDialog {
  /// The command of `tessera-window`. Its arguments are an origin and a domain; it prints the name of the answer.
  package static let command = "ask-permission"

  /// - Throws: `Failure` if `tessera-window` is not installed.
  package static func asking() throws(Failure) -> PermissionQuestions.Ask {
    let program = try SiblingProgram.window.path()
    return { question in
      let words = [command, question.origin, question.domain.rawValue]
      guard let dialog = ChildProcess(program, arguments: words) else { return .notShown }
      // nil once the identifier may be that of another process.
      let identifier = Locked<Int32?>(dialog.identifier)
      return await withTaskCancellationHandler {
        let output = try? await BlockingWork(name: "permission-dialog").run {
          let output = dialog.readToEnd()
          dialog.waitUntilExit { identifier.withLock { $0 = nil } }
          return output
        }
        let name = String(decoding: output ?? [], as: UTF8.self)
        // A user who closes the dialog is an answer, too. One that nobody waits for any more was ended before it had one.
        return PermissionAnswer.allCases.first { name == $0.rawValue + "\n" }
          ?? (Task.isCancelled ? .notNow : .notShown)
      } onCancel: {
        identifier.withLock { if let identifier = $0 { _ = kill(identifier, SIGTERM) } }
      }
    }
  }
}
