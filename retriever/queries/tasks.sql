-- Where each task stands: one row a task, replaced after each stage. Identity of a task is the pair of its repository
-- and the id that its caller knows.

CREATE TABLE IF NOT EXISTS tasks (
  repository TEXT NOT NULL,
  task_id TEXT NOT NULL,
  version INTEGER NOT NULL,          -- counts replacements, from 1
  time REAL NOT NULL,                -- seconds since 1970 of the last one
  content TEXT NOT NULL,             -- JSON of TaskState
  PRIMARY KEY (repository, task_id)
);
CREATE INDEX IF NOT EXISTS tasks_by_time ON tasks (time);
