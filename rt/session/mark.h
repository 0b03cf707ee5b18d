/* Marks of a program under a debugger: each notes the time (../session.h). */
#ifndef MARK_H
#define MARK_H

void rt_mark(int which);
#define MARK_BEGIN() rt_mark(0)
#define MARK_LAYER() rt_mark(1)
#define MARK_END() rt_mark(2)

#endif
