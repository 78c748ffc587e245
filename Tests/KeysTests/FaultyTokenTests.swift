import Foundation
import TesseraCore
import TesseraCryptography
import TesseraKeys
import TestSupport
import Testing

/// A PKCS#11 module that passes every call to SoftHSM, and fails one of them as a file says.
private struct FaultyModule {
  /// When the call fails.
  enum Moment: String, CaseIterable {
    /// It is not carried out.
    case before
    /// It is carried out, and reported as a failure: a connection was cut.
    case after
  }

  private let folder: TemporaryFolder
  var path: String { folder.file("faulty.so") }

  private static let source = """
    #include <dlfcn.h>
    #include <stdio.h>
    #include <string.h>
    #include <p11-kit/pkcs11.h>

    static CK_FUNCTION_LIST *real, list;

    // The file names a function, the number of the call that fails, and the moment; then it is empty.
    static int fails(const char *name, const char *moment) {
      char function[64], when[16];
      int count;
      FILE *file = fopen(FAULT, "r+");
      if (!file) return 0;
      int found = fscanf(file, "%63s %d %15s", function, &count, when) == 3 && !strcmp(function, name)
        && !strcmp(when, moment);
      if (found) {
        rewind(file);
        if (count > 1) fprintf(file, "%s %d %s\\n", function, count - 1, when);
        else found = 2;
      }
      fclose(file);
      if (found == 2) fclose(fopen(FAULT, "w"));
      return found == 2;
    }

    #define CALL(name, call) \\
      if (fails(#name, "before")) return CKR_FUNCTION_FAILED; \\
      CK_RV result = real->name call; \\
      return fails(#name, "after") ? CKR_FUNCTION_FAILED : result;

    static CK_RV generate(CK_SESSION_HANDLE s, CK_MECHANISM *m, CK_ATTRIBUTE *a, CK_ULONG n, CK_ATTRIBUTE *b, CK_ULONG k,
                          CK_OBJECT_HANDLE *x, CK_OBJECT_HANDLE *y) { CALL(C_GenerateKeyPair, (s, m, a, n, b, k, x, y)) }
    static CK_RV set(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE o, CK_ATTRIBUTE *a, CK_ULONG n)
      { CALL(C_SetAttributeValue, (s, o, a, n)) }
    static CK_RV destroy(CK_SESSION_HANDLE s, CK_OBJECT_HANDLE o) { CALL(C_DestroyObject, (s, o)) }
    static CK_RV sign(CK_SESSION_HANDLE s, CK_MECHANISM *m, CK_OBJECT_HANDLE k) { CALL(C_SignInit, (s, m, k)) }
    static CK_RV initialize(void *a) {
      CK_RV result = real->C_Initialize(a);
      return result == CKR_CRYPTOKI_ALREADY_INITIALIZED ? CKR_OK : result;
    }
    static CK_RV finalize(void *a) { return CKR_OK; }

    CK_RV C_GetFunctionList(CK_FUNCTION_LIST **out) {
      void *library = dlopen("/usr/lib/softhsm/libsofthsm2.so", RTLD_NOW);
      CK_C_GetFunctionList get = library ? (CK_C_GetFunctionList)dlsym(library, "C_GetFunctionList") : 0;
      if (!get || get(&real) != CKR_OK) return CKR_GENERAL_ERROR;
      list = *real;
      list.C_GenerateKeyPair = generate;
      list.C_SetAttributeValue = set;
      list.C_DestroyObject = destroy;
      list.C_SignInit = sign;
      list.C_Initialize = initialize;
      list.C_Finalize = finalize;
      list.C_GetFunctionList = C_GetFunctionList;
      *out = &list;
      return CKR_OK;
    }
    """

  init() async throws {
    folder = try TemporaryFolder()
    try Self.source.write(toFile: folder.file("faulty.c"), atomically: true, encoding: .utf8)
    let run = try await RunningProgram(
      URL(fileURLWithPath: "/usr/bin/gcc"),
      [
        "-shared", "-fPIC", "-I/usr/include/p11-kit-1", "-DFAULT=\"\(folder.file("fault"))\"", "-o", path,
        folder.file("faulty.c"),
      ]
    ).finish(within: 120)
    guard run.status == 0 else { throw Failure(.keyStoreUnavailable, run.errors) }
  }

  func fail(_ function: String, call: Int, _ moment: Moment) throws {
    try "\(function) \(call) \(moment.rawValue)\n".write(
      toFile: folder.file("fault"), atomically: true, encoding: .utf8)
  }

  /// Whether the call failed.
  func wasReached() throws -> Bool {
    defer { try? FileManager.default.removeItem(atPath: folder.file("fault")) }
    return folder.bytes("fault").isEmpty
  }
}

extension RealPrograms {
  @Suite("A token that fails", .enabled(if: TokenLab.isEnabled))
  struct FaultyTokenTests {
    private static let functions = ["C_GenerateKeyPair", "C_SetAttributeValue", "C_DestroyObject", "C_SignInit"]

    @Test("a replacement that fails at any call leaves one whole key, and the objects of others", arguments: functions)
    func replacement(_ function: String) async throws {
      let (lab, folder, module) = (try await TokenLab(), try TemporaryFolder(), try await FaultyModule())
      for label in ["theirs", "ours"] {
        let made = try await lab.tool(["--keypairgen", "--key-type", "EC:prime256v1", "--label", label, "--id", "01"])
        #expect(made.status == 0, "\(made.errors)")
      }
      func store(_ uri: String) throws -> TokenKeyStore {
        try TokenKeyStore(uri: uri, secrets: NonInteractive(), path: folder.url.path, secretService: { nil })
      }
      let plain = try store(lab.uriWithPIN)
      let faulty = try store(lab.uriWithPIN.replacing("/usr/lib/softhsm/libsofthsm2.so", with: module.path))
      let (ours, theirs) = (try KeyName("ours"), try KeyName("theirs"))
      let digest = [UInt8](repeating: 7, count: 32)
      let point = try await plain.key(theirs).publicKey
      var failures = 0
      for moment in FaultyModule.Moment.allCases {
        var call = 1
        while true {
          let before = try await plain.key(ours).publicKey
          try module.fail(function, call: call, moment)
          let made = await Result { try await faulty.generate(ours, confirmation: .never, replacing: true).publicKey }
          guard try module.wasReached() else { break }
          let place = "\(function) \(call) \(moment)"
          let after = try await plain.key(ours).publicKey
          #expect(try after.verify(await plain.sign(digest: digest, with: ours), digest: digest), "\(place)")
          switch made {
          case .success(let key): #expect(after == key, "\(place)")
          case .failure:
            failures += 1
            #expect(after == before, "\(place)")
          }
          #expect(try await plain.keys().map(\.name) == [ours, theirs], "\(place)")
          #expect(try await plain.key(theirs).publicKey == point, "\(place)")
          call += 1
        }
      }
      #expect(failures > 0)
    }
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
