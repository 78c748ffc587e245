import CTesseraWebKitGTK

extension ContentView {
  /// Runs the body of an asynchronous function in the top frame, and waits for its value; a promise is awaited.
  ///
  /// - Parameters:
  ///   - body: may use `await` and `return`.
  ///   - arguments: the names and values of the function's parameters.
  ///   - world: the scripts among which it runs.
  ///   - limit: how long it may take. The function itself goes on.
  /// - Returns: the value as JSON; nil for `undefined`.
  /// - Throws: `ScriptFailure`, or `CancellationError`.
  package func callAsync(
    _ body: String, arguments: [String: String] = [:], in world: ContentChannel.World, within limit: Duration
  ) async throws -> String? {
    // Before the first page, WebKit would keep the call and the session for ever if the view is closed.
    guard hasPage else { throw ScriptFailure.noPage }
    let name: String? = if case .named(let name) = world { name } else { nil }
    return try await PendingResult<String?>.value(within: limit, otherwise: ScriptFailure.timeLimit(limit)) { data in
      webkit_web_view_call_async_javascript_function(
        webView, body, -1, Self.variant(arguments), name, nil, nil, AsyncCallback.function, data)
    } finish: { source, result in
      var error: UnsafeMutablePointer<GError>?
      let view = source.assumingMemoryBound(to: WebKitWebView.self)
      guard let value = webkit_web_view_call_async_javascript_function_finish(view, result, &error) else {
        throw Self.failure(&error)
      }
      defer { g_object_unref(gpointer(value)) }
      return takenText(jsc_value_to_json(value, 0))
    }
  }

  /// Runs a script as a program in the top frame.
  ///
  /// - Returns: the value of its last expression as JSON; nil for `undefined`.
  /// - Throws: `ScriptFailure`, or `CancellationError`.
  package func runProgram(
    _ script: String, in world: ContentChannel.World, within limit: Duration
  ) async throws -> String? {
    guard hasPage else { throw ScriptFailure.noPage }
    let name: String? = if case .named(let name) = world { name } else { nil }
    return try await PendingResult<String?>.value(within: limit, otherwise: ScriptFailure.timeLimit(limit)) { data in
      webkit_web_view_evaluate_javascript(webView, script, -1, name, nil, nil, AsyncCallback.function, data)
    } finish: { source, result in
      var error: UnsafeMutablePointer<GError>?
      let view = source.assumingMemoryBound(to: WebKitWebView.self)
      guard let value = webkit_web_view_evaluate_javascript_finish(view, result, &error) else {
        throw Self.failure(&error)
      }
      defer { g_object_unref(gpointer(value)) }
      return takenText(jsc_value_to_json(value, 0))
    }
  }

  private static func failure(_ error: inout UnsafeMutablePointer<GError>?) -> ScriptFailure {
    let domain = webkit_javascript_error_quark()
    let isUnsupported = g_error_matches(error, domain, gint(WEBKIT_JAVASCRIPT_ERROR_INVALID_RESULT.rawValue)) != 0
    let isOfScript = g_error_matches(error, domain, gint(WEBKIT_JAVASCRIPT_ERROR_SCRIPT_FAILED.rawValue)) != 0
    let message = AsyncCallback.message(&error)
    if isUnsupported { return .unsupportedValue }
    // WebKit's words for a promise of a document that is gone.
    if !isOfScript || message.contains("no longer reachable") { return .pageEnded }
    return .exception(withoutPlace(message))
  }

  /// WebKit begins the message with the address of the page, the line and the column, which belong to no script of the
  /// program.
  private static func withoutPlace(_ message: String) -> String {
    guard let end = message.firstRange(of: ": ") else { return message }
    let place = message[..<end.lowerBound].split(separator: ":", omittingEmptySubsequences: false).suffix(2)
    let isPlace = place.count == 2 && place.allSatisfy { Int($0) != nil }
    return isPlace ? String(message[end.upperBound...]) : message
  }

  /// - Returns: a floating reference, which WebKit takes; nil for no arguments.
  private static func variant(_ arguments: [String: String]) -> OpaquePointer? {
    guard !arguments.isEmpty, let dictionary = g_variant_dict_new(nil) else { return nil }
    defer { g_variant_dict_unref(dictionary) }
    for (name, value) in arguments { g_variant_dict_insert_value(dictionary, name, g_variant_new_string(value)) }
    return g_variant_dict_end(dictionary)
  }
}

/// Why a script of the program has no value.
package enum ScriptFailure: Error, Sendable, Equatable {
  /// The view has shown no page yet.
  case noPage
  /// The script cannot be read, or it threw this.
  case exception(String)
  /// The value is not one of JSON: a node of the page, for example. WebKit says the same when the process of the page ends.
  case unsupportedValue
  /// The page was left.
  case pageEnded
  case timeLimit(Duration)

  /// What happened, as a sentence.
  package var message: String {
    switch self {
    case .noPage: "There is no page."
    case .exception(let text): text
    case .unsupportedValue: "The value of the script cannot be written as JSON."
    case .pageEnded: "The page ended before the script did."
    case .timeLimit(let limit): "The script did not end within \(limit.components.seconds) seconds."
    }
  }
}
