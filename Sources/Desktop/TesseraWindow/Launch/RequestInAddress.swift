import TesseraBridge

/// The request in the address of a page that `tessera open` shows. The published page reads some members only there (its
/// `verificationRequest.ts` of August 2026). They are added inside the window, so that the server is first asked for the
/// address that the user gave.
enum RequestInAddress {
  /// A script for the beginning of documents.
  ///
  /// - Parameter start: the address that the window loads.
  static func script(_ start: String, _ members: [(name: String, value: String)]) -> String {
    let list = JSONValue.array(members.map { [.string($0.name), .string($0.value)] }).text
    // The first document can have another address: the server may redirect.
    return """
      (() => {
        "use strict";
        // No request of this document, or of its parts, may name more than the origin as its referrer. The policy outlives
        // the element.
        const policy = document.createElement("meta");
        policy.name = "referrer";
        policy.content = "strict-origin";
        document.documentElement?.append(policy);
        policy.remove();
        const start = new URL(\(JSONValue.string(start).text)), address = new URL(location.href);
        const isStart = address.href === start.href || history.length === 1 && address.origin === start.origin;
        if (!isStart) { return; }
        for (const [name, value] of \(list)) {
          if (!address.searchParams.has(name)) { address.searchParams.append(name, value); }
        }
        history.replaceState(history.state, "", address);
      })();
      """
  }
}
