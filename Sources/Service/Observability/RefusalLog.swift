import Bridge
import Logging
import NIOHTTP1

/// What the person who runs the service is told of refusals: who wanted what, and the line in the file of grants that
/// allows it.
extension ServiceCore {
  /// - Parameter origin: nil where the reason is another one, or the page has no origin that could be granted.
  func tellRefusal(of origin: WebOrigin?, _ status: HTTPResponseStatus, _ reason: String) {
    var metadata: Logger.Metadata = ["reason": "\(reason)", "status": "\(status.code)"]
    guard reason == "ORIGIN" else {
      logger.log(level: told.level(reason, .notice), "A browser was refused.", metadata: metadata)
      return
    }
    let message: Logger.Message
    if let origin {
      metadata["origin"] = "\(origin.canonical)"
      let grant = try? Grant("\(origin.canonical) = lifecycle")
      message =
        grant.map { "A page of an origin without a grant was refused. A line in the file of grants lets it in: \($0)" }
        ?? "A page that came by http from another machine was refused. Serve it by https, and grant that."
    } else {
      message = """
        A page that does not tell its origin was refused. Files and sandboxed frames have none; a page with a policy of \
        sending no referrer loads the script with the attribute crossorigin.
        """
    }
    logger.log(
      level: told.level("ORIGIN \(origin?.canonical ?? "")", .notice), message, metadata: metadata)
  }

  /// - Parameters:
  ///   - code: of the answer.
  ///   - method: where a grant of it is missing.
  func tellRefusal(of caller: BridgeCaller, _ domain: BridgeDomain, _ code: String, wanting method: String?) {
    var metadata = caller.metadata
    metadata["code"] = "\(code)"
    // Other words are the page's own.
    guard let method, domain.methods.contains(method) else {
      metadata["domain"] = "\(domain.rawValue)"
      logger.log(level: told.level(code, .notice), "A request was refused.", metadata: metadata)
      return
    }
    let grant = Grant(caller, [Grant.Permission(domain, method)])
    metadata["method"] = "\(domain.rawValue).\(method)"
    logger.log(
      level: told.level("\(code) \(grant)", .notice),
      "A request was refused. A line in the file of grants allows it: \(grant)", metadata: metadata)
  }

  /// What is wrong with this machine is told here, since a page is not told of it.
  func tellFailure(of request: BridgeRequest, _ error: BridgeError) {
    guard request.caller != .local, let failure = error.failure, failure.kind.isOfTheMachine else { return }
    var metadata = request.caller.metadata
    metadata["code"] = "\(error.code)"
    metadata["method"] = "\(request.domain.rawValue).\(request.method)"
    logger.log(
      level: told.level("\(failure.kind.rawValue) \(failure.cause)", .warning), "\(failure.description)",
      metadata: metadata)
  }
}
