import Threads

/// Tests that compute for seconds would hold up those that wait for an answer, if all shared as many threads as there are
/// cores; the system divides its time fairly among more. Called when the test bundle is loaded, before the first task.
@_cdecl("tessera_test_install_threads")
public func installThreads() { TaskThreads.install(atLeast: 16) }
