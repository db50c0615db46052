BEGIN TRANSACTION;
CREATE TABLE commands (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        run TEXT NOT NULL,
        strategy TEXT NOT NULL,
        message TEXT NOT NULL
    );
CREATE TABLE nodes (
        number INTEGER PRIMARY KEY,
        run TEXT NOT NULL,
        id TEXT NOT NULL,
        change INTEGER NOT NULL,
        node TEXT NOT NULL,
        UNIQUE (run, id)
    );
INSERT INTO "nodes" VALUES(1,'run','run',2,'{"id":"run","name":"run","displayName":"run","type":"Steps","phase":"Running","templateScope":"local/run","startedAt":"2026-09-21T14:13:20.000000Z","templateName":"main","children":["run-936563004"]}');
INSERT INTO "nodes" VALUES(2,'run','run-936563004',2,'{"id":"run-936563004","name":"run[0]","displayName":"[0]","type":"StepGroup","phase":"Running","templateScope":"local/run","startedAt":"2026-09-21T14:13:20.000000Z","boundaryID":"run","children":["run-4089977068","run-2046208901","run-994383298","run-2120656125"]}');
INSERT INTO "nodes" VALUES(3,'run','run-4089977068',2,'{"id":"run-4089977068","name":"run[0].over","displayName":"over","type":"Pod","phase":"Running","templateScope":"local/run","startedAt":"2026-09-21T14:13:20.000000Z","templateName":"work","boundaryID":"run","progress":"0/1","inputs":{"parameters":[{"name":"who","value":"over"}]},"hostNodeName":"localhost","_waited":0.0}');
INSERT INTO "nodes" VALUES(4,'run','run-2046208901',2,'{"id":"run-2046208901","name":"run[0].running","displayName":"running","type":"Pod","phase":"Running","templateScope":"local/run","startedAt":"2026-09-21T14:13:20.000000Z","templateName":"work","boundaryID":"run","progress":"0/1","inputs":{"parameters":[{"name":"who","value":"running"}]},"hostNodeName":"localhost","_waited":0.0}');
INSERT INTO "nodes" VALUES(5,'run','run-994383298',2,'{"id":"run-994383298","name":"run[0].decided","displayName":"decided","type":"Pod","phase":"Running","templateScope":"local/run","startedAt":"2026-09-21T14:13:20.000000Z","templateName":"work","boundaryID":"run","progress":"0/1","inputs":{"parameters":[{"name":"who","value":"decided"}]},"hostNodeName":"localhost","_waited":0.0}');
INSERT INTO "nodes" VALUES(6,'run','run-2120656125',2,'{"id":"run-2120656125","name":"run[0].waiting","displayName":"waiting","type":"Pod","phase":"Pending","templateScope":"local/run","startedAt":"2026-09-21T14:13:20.000000Z","templateName":"work","boundaryID":"run","progress":"0/1","inputs":{"parameters":[{"name":"who","value":"waiting"}]}}');
CREATE TABLE pods (
        number INTEGER PRIMARY KEY,
        run TEXT NOT NULL,
        node_id TEXT NOT NULL,
        name TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('pending', 'started', 'ended')),
        start TEXT NOT NULL,
        kill TEXT,
        UNIQUE (run, node_id)
    );
INSERT INTO "pods" VALUES(1,'run','run-4089977068','run-work-4089977068','started','{"node_id":"run-4089977068","name":"run-work-4089977068","template":{"name":"work","container":{"image":"any","command":["sh","-c"],"args":["echo over > /tmp/said"],"resources":{"requests":{"cpu":"1","memory":"1Mi"}}},"inputs":{"parameters":[{"name":"who","value":"over"}]},"outputs":{"parameters":[{"name":"said","valueFrom":{"path":"/tmp/said"}}]}},"deadline":null,"capture_result":false}',NULL);
INSERT INTO "pods" VALUES(2,'run','run-2046208901','run-work-2046208901','started','{"node_id":"run-2046208901","name":"run-work-2046208901","template":{"name":"work","container":{"image":"any","command":["sh","-c"],"args":["echo running > /tmp/said"],"resources":{"requests":{"cpu":"1","memory":"1Mi"}}},"inputs":{"parameters":[{"name":"who","value":"running"}]},"outputs":{"parameters":[{"name":"said","valueFrom":{"path":"/tmp/said"}}]}},"deadline":null,"capture_result":false}',NULL);
INSERT INTO "pods" VALUES(3,'run','run-994383298','run-work-994383298','started','{"node_id":"run-994383298","name":"run-work-994383298","template":{"name":"work","container":{"image":"any","command":["sh","-c"],"args":["echo decided > /tmp/said"],"resources":{"requests":{"cpu":"1","memory":"1Mi"}}},"inputs":{"parameters":[{"name":"who","value":"decided"}]},"outputs":{"parameters":[{"name":"said","valueFrom":{"path":"/tmp/said"}}]}},"deadline":null,"capture_result":false}',NULL);
INSERT INTO "pods" VALUES(4,'run','run-2120656125','run-work-2120656125','pending','{"node_id":"run-2120656125","name":"run-work-2120656125","template":{"name":"work","container":{"image":"any","command":["sh","-c"],"args":["echo waiting > /tmp/said"],"resources":{"requests":{"cpu":"1","memory":"1Mi"}}},"inputs":{"parameters":[{"name":"who","value":"waiting"}]},"outputs":{"parameters":[{"name":"said","valueFrom":{"path":"/tmp/said"}}]}},"deadline":null,"capture_result":false}',NULL);
CREATE TABLE runs (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE,
        metadata TEXT NOT NULL,
        spec TEXT NOT NULL,
        status TEXT NOT NULL,
        private TEXT NOT NULL DEFAULT '{}',
        submitter TEXT NOT NULL,
        final INTEGER NOT NULL DEFAULT 0,
        begun INTEGER NOT NULL DEFAULT 0,
        change INTEGER NOT NULL DEFAULT 1
    );
INSERT INTO "runs" VALUES(1,'run','{"name":"run","namespace":"default","uid":"0","creationTimestamp":"2026-01-02T03:04:05Z"}','{"entrypoint":"main","templates":[{"name":"main","steps":[[{"name":"over","template":"work","arguments":{"parameters":[{"name":"who","value":"over"}]}},{"name":"running","template":"work","arguments":{"parameters":[{"name":"who","value":"running"}]}},{"name":"decided","template":"work","arguments":{"parameters":[{"name":"who","value":"decided"}]}},{"name":"waiting","template":"work","arguments":{"parameters":[{"name":"who","value":"waiting"}]}}]]},{"name":"work","container":{"image":"any","command":["sh","-c"],"args":["echo {{inputs.parameters.who}} > /tmp/said"],"resources":{"requests":{"cpu":"1","memory":"1Mi"}}},"inputs":{"parameters":[{"name":"who"}]},"outputs":{"parameters":[{"name":"said","valueFrom":{"path":"/tmp/said"}}]}}]}','{"startedAt":"2026-09-21T14:13:20.000000Z","finishedAt":null,"phase":"Running","progress":"0/4","conditions":[{"type":"PodRunning","status":"True"}]}','{}','{"interpreter":"/usr/bin/python3","project":"/srv","environment":{"PATH":"/usr/local/bin:/usr/bin:/bin"},"keep":[],"claims":{},"images":{},"max_pods":0,"share_host_paths":true}',0,1,2);
CREATE TABLE timers (
        run TEXT NOT NULL,
        at REAL NOT NULL,
        PRIMARY KEY (run, at)
    ) WITHOUT ROWID;
CREATE INDEX unfinished_runs ON runs (number) WHERE final = 0;
CREATE INDEX changed_nodes ON nodes (run, change);
CREATE INDEX open_pods ON pods (run) WHERE state != 'ended';
INSERT INTO "sqlite_sequence" VALUES('runs',1);
COMMIT;
PRAGMA user_version = 1;
