import CTesseraWebKitGTK

/// The result of an asynchronous function of GIO or WebKit: whoever waits for it receives the first of its value, the
/// time limit and the cancellation of the task.
///
/// The C function cannot be stopped. It holds this object until it calls back, and what comes too late is released.
@MainActor
package final class PendingResult<Value: Sendable> {
  private var continuation: CheckedContinuation<Value, any Error>?
  private var result: Result<Value, any Error>?

  /// - Parameters:
  ///   - limit: nil for a function that always calls back.
  ///   - failure: what is thrown when the time is over.
  ///   - begin: starts the C function with `AsyncCallback.function` and this pointer.
  ///   - finish: takes the result, from the object that was asked.
  ///   - release: releases a value that came too late, if it has to be released.
  package static func value(
    within limit: Duration? = nil, otherwise failure: any Error = CancellationError(),
    _ begin: (gpointer) -> Void,
    finish: @escaping @MainActor (gpointer, OpaquePointer) throws -> Value,
    release: @escaping @MainActor (Value) -> Void = { _ in }
  ) async throws -> Value {
    let pending = PendingResult()
    begin(
      AsyncCallback.pointer { source, result in
        let result = Result {
          guard let source, let result else { throw ContentFailure.loadFailed(reason: "WebKit gave no result.") }
          return try finish(source, result)
        }
        if !pending.end(result), case .success(let late) = result { release(late) }
      })
    let timer = limit.map { limit in
      Task { @MainActor in
        guard (try? await Task.sleep(for: limit)) != nil else { return }
        pending.end(.failure(failure))
      }
    }
    defer { timer?.cancel() }
    return try await withTaskCancellationHandler {
      try await pending.wait()
    } onCancel: {
      Task { @MainActor in pending.end(.failure(CancellationError())) }
    }
  }

  private func wait() async throws -> Value {
    if let result { return try result.get() }
    return try await withCheckedThrowingContinuation { continuation = $0 }
  }

  /// - Returns: whether this is the first result.
  @discardableResult
  private func end(_ result: Result<Value, any Error>) -> Bool {
    guard self.result == nil else { return false }
    self.result = result
    continuation?.resume(with: result)
    continuation = nil
    return true
  }
}

/// A closure as a `GAsyncReadyCallback`. It is called once.
@MainActor
package final class AsyncCallback {
  private let body: @MainActor (gpointer?, OpaquePointer?) -> Void

  private init(_ body: @escaping @MainActor (gpointer?, OpaquePointer?) -> Void) { self.body = body }

  /// The user data for `function`, which holds the closure until it is called.
  static func pointer(_ body: @escaping @MainActor (gpointer?, OpaquePointer?) -> Void) -> gpointer {
    Unmanaged.passRetained(AsyncCallback(body)).toOpaque()
  }

  package static var function: GAsyncReadyCallback {
    { source, result, data in
      guard let data else { return }
      MainActor.assumeIsolated {
        Unmanaged<AsyncCallback>.fromOpaque(data).takeRetainedValue().body(source.map { gpointer($0) }, result)
      }
    }
  }

  /// The message of an error, which is released.
  package nonisolated static func message(_ error: inout UnsafeMutablePointer<GError>?) -> String {
    defer { g_clear_error(&error) }
    return error.map { String(cString: $0.pointee.message) } ?? "The reason is unknown."
  }
}
