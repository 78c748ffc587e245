import Glibc
import TesseraCore

/// The load of a fleet on one machine: desks with virtual chips, inspectors and servers as processes, and failures.
@main
struct FleetLoad {
  private static let usage = """
    FleetLoad all FOLDER [READS]      servers, inspectors and desks in FOLDER: throughput, then READS reads with failures
    FleetLoad delay FOLDER            reads over a line with 50 ms of delay
    FleetLoad desks FOLDER JOURNAL FIRST COUNT READS REMOTE-PERCENT all|quick|NAME,... [ADDRESS ...]
                                      the desks of one process; `all` starts it
    """

  static func main() async {
    // A process that ends must not end the one that writes to it.
    signal(SIGPIPE, SIG_IGN)
    do {
      let arguments = LoadArguments(CommandLine.arguments.dropFirst())
      switch arguments.command {
      case "desks": try await DeskProcess(arguments).run()
      case "all": exit(try await LoadRun(arguments).run() ? 0 : 1)
      case "delay": exit(try await DelayMeasurement(arguments).run() ? 0 : 1)
      default: throw Failure(.usage, usage)
      }
    } catch {
      Console.complain(Failure(error).cause)
      exit(1)
    }
  }
}
