internal import FCKOnboardingFlow
internal import FoundationEssentials
internal import Logging
import TesseraJSON
import TesseraThreads

/// Loads the flow of a placement from the server or the cache, by the policy of the configuration.
struct PlacementLoader: Sendable {
  /// What is loaded, and for whom.
  struct Wanted: Sendable {
    var placement: String
    var identity: FCKAPIClient.Identity
    var userProperties: JSONObject
  }

  /// An answer of the cache that could be decoded.
  private struct Cached: Sendable {
    var record: CachedPlacement
    var response: PlacementResponse
  }

  let api: FCKAPIClient
  let cache: FlowCache
  let now: @Sendable () -> Date
  /// Files are read and written on a thread of their own.
  let work: BlockingWork
  let logger: Logger

  /// - Throws: `FCKAPIClient.APIError`, or `CancellationError`.
  func response(_ wanted: Wanted) async throws -> PlacementResponse {
    let policy = api.configuration.cachePolicy
    guard policy != .networkOnly else { return try await ask(wanted, nil) }
    let cached = await cached(wanted)
    if policy == .cacheFirst, let cached, cached.record.isFresh(at: now()) {
      Task { await refresh(wanted, cached) }
      return cached.response
    }
    do {
      return try await ask(wanted, cached)
    } catch let error as FCKAPIClient.APIError where error != .noActiveFlow {
      guard let cached else { throw error }
      logger.warning("The flow of the cache is used. \(OnboardingLog.cause(error))")
      return cached.response
    }
  }

  private func refresh(_ wanted: Wanted, _ cached: Cached) async {
    do { _ = try await ask(wanted, cached) } catch {
      logger.debug("The flow of the cache was not refreshed. \(OnboardingLog.cause(error))")
    }
  }

  /// Asks the server, and stores its answer unless the policy forbids it.
  private func ask(_ wanted: Wanted, _ cached: Cached?) async throws -> PlacementResponse {
    var problems: [FlowProblem] = []
    let answer: FCKAPIClient.PlacementAnswer
    do {
      answer = try await api.placement(
        wanted.placement, for: wanted.identity, userProperties: wanted.userProperties,
        entityTag: cached?.record.entityTag, problems: &problems)
    } catch FCKAPIClient.APIError.noActiveFlow {
      // A flow that is no longer there must not come back when the server fails.
      await change { try $0.remove(wanted.placement) }
      throw FCKAPIClient.APIError.noActiveFlow
    }
    for problem in problems.lazy.filter({ $0.severity == .error }).prefix(20) {
      logger.warning("\(problem.place): \(problem.message)")
    }
    let time = now()
    let scope = scope(wanted)
    switch answer {
    case .notModified:
      guard var cached else { throw FCKAPIClient.APIError.serverError(304, "") }
      cached.record.time = time
      await change { [record = cached.record] in try $0.store(record, for: wanted.placement, scope: scope) }
      return cached.response
    case .placement(let response, let body, let entityTag):
      let record = CachedPlacement(body: body, entityTag: entityTag, time: time)
      await change { try $0.store(record, for: wanted.placement, scope: scope) }
      return response
    }
  }

  private func cached(_ wanted: Wanted) async -> Cached? {
    let scope = scope(wanted)
    let record = try? await work.run { [cache] in cache.placement(wanted.placement, scope: scope) }
    var problems: [FlowProblem] = []
    guard let record, let response = try? PlacementResponse(record.body, problems: &problems) else { return nil }
    return Cached(record: record, response: response)
  }

  /// Without the cache, flows are only shown when the server can be asked.
  private func change(_ body: @Sendable (FlowCache) throws -> Void) async {
    guard api.configuration.cachePolicy != .networkOnly else { return }
    do { try await work.run { [cache] in try body(cache) } } catch {
      logger.error("The flow cannot be stored. \(OnboardingLog.cause(error))")
    }
  }

  private func scope(_ wanted: Wanted) -> String {
    CacheScope.text(
      api.configuration, userId: wanted.identity.userId, deviceId: wanted.identity.deviceId ?? "")
  }
}

/// Tells answers for different servers, keys, environments and users apart. The files of the cache contain this number
/// only, not what it was made of.
enum CacheScope {
  static func text(_ configuration: FCKConfiguration, userId: String?, deviceId: String) -> String {
    let parts = [
      configuration.baseAddress, configuration.environment.rawValue, configuration.apiKey, userId ?? "", deviceId,
    ]
    return hash(parts).hexadecimal.lowercased()
  }

  /// 64-bit FNV-1a (the Internet draft on FNV). Nobody gains by a collision: all parts are the program's own.
  private static func hash(_ parts: [String]) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for part in parts {
      // No text of UTF-8 has the byte 0xFF.
      for byte in part.utf8 + [0xFF] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    return hash
  }
}
