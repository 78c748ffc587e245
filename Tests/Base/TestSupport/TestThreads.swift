import TesseraThreads

/// With one thread per core, tests that compute for seconds would delay tests that wait for an answer. More threads
/// share the cores fairly. Called when the test bundle is loaded, before the first task.
@_cdecl("tessera_test_install_threads")
public func installThreads() { TaskExecutorThreads.install(atLeast: 16) }
