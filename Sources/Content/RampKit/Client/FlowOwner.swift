import TesseraCore
internal import TesseraHTTPClient

/// In whose name something is stored or done. All programs of the user share the encrypted store and the keys; each has
/// its own entries in them, and so has each flow.
enum FlowOwner {
  /// A program, for the identifier of the user and the answers.
  static func program(_ appName: String) -> Caller {
    .web(origin: "rampkit://\(PercentEncoding.component(appName))")
  }

  /// A flow that may use the hardware. It is the same at the next start of the program.
  static func flow(_ id: String, of appName: String) -> Caller {
    .web(origin: "rampkit://\(PercentEncoding.component(appName))/\(PercentEncoding.component(id))")
  }
}
