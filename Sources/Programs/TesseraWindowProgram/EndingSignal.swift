import Dispatch
import Glibc

/// Ends what is shown at SIGINT or SIGTERM. A second signal ends the process.
@MainActor
final class EndingSignal {
  private(set) var number: Int32?
  private var sources: [any DispatchSourceSignal] = []

  init(_ end: @escaping @MainActor () -> Void) {
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler { [weak self] in
        MainActor.assumeIsolated {
          guard let self, self.number == nil else { _exit(128 + number) }
          self.number = number
          end()
        }
      }
      source.resume()
      sources.append(source)
    }
  }
}
